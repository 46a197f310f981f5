/* Any bytes as an OBJ: in a model that is accepted every index is in range and every number
 * finite. */
#include <stdint.h>

#include "common/diag/codes/mesh_models.def"
#include "tests/fuzz/fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mesh_fuzz fuzz = mesh_fuzz_begin(data, size);
    enum status status = obj_decode(&fuzz.file, NULL, fuzz.diag, &fuzz.arena, &fuzz.model);
    mesh_fuzz_end(&fuzz, status, DIAG_MESH_MODEL_BROKEN);
    return 0;
}
