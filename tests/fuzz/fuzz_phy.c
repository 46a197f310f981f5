/* Any bytes as a PHY: its parts lie in the file, and hulls have points. */
#include <stdint.h>

#include "common/assets/models/phy.h"
#include "common/core/array.h"
#include "common/diag/codes/source_models.def"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = {0};
    struct phy phy;
    bytes_append(&file, data, size);
    if (phy_decode(&file, NULL, diag, &phy) == STATUS_OK) {
        struct hull_points hulls = {0};
        size_t total = phy.text.size;
        for (size_t i = 0; i <= arrlenu(phy.solids); i++) {
            enum status status = phy_hulls(&phy, i, NULL, diag, &hulls);
            check(status == STATUS_OK || diag_count_code(diag, DIAG_MODEL_BROKEN) > 0);
            total += i < arrlenu(phy.solids) ? 4 + phy.solids[i].size : 0;
        }
        check(total + 16 == size);
        for (size_t i = 0; i < hull_points_count(&hulls); i++)
            check(hulls.starts[i] < hulls.starts[i + 1] &&
                  hulls.starts[i + 1] <= arrlenu(hulls.points));
        hull_points_free(&hulls);
    } else {
        check(diag_count_code(diag, DIAG_MODEL_BROKEN) == 1 && !phy.solids);
    }
    phy_free(&phy);
    bytes_free(&file);
    diag_free(diag);
    return 0;
}
