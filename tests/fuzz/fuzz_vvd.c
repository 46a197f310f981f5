/* Any bytes as a VVD: no more vertices than fit into the file, at finite positions. */
#include <math.h>
#include <stdint.h>

#include "common/assets/models/vvd.h"
#include "common/diag/codes/source_models.def"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct vvd vvd;
    struct bytes file = {0};
    bytes_append(&file, data, size);
    if (vvd_decode(&file, NULL, diag, &arena, &vvd) == STATUS_OK) {
        check(vvd.count >= 0 && (size_t)vvd.count <= size / 48);
        for (int32_t i = 0; i < vvd.count; i++)
            check(isfinite(vvd.vertices[i].p[0]) && isfinite(vvd.vertices[i].p[2]));
    } else {
        check(diag_count_code(diag, DIAG_MODEL_BROKEN) == 1 && !vvd.vertices);
    }
    bytes_free(&file);
    arena_free(&arena);
    diag_free(diag);
    return 0;
}
