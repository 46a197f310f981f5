/* Any bytes as an MD3: in a model that is accepted every index is in range and every number
 * finite. */
#include <stdint.h>

#include "common/core/array.h"
#include "common/diag/codes/mesh_models.def"
#include "tests/fuzz/fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mesh_fuzz fuzz = mesh_fuzz_begin(data, size);
    const char **shaders = md3_shaders(&fuzz.file, &fuzz.arena);
    for (size_t i = 0; i < arrlenu(shaders); i++)
        check(*shaders[i] && strlen(shaders[i]) <= 64);
    arrfree(shaders);
    enum status status = md3_decode(&fuzz.file, 1, NULL, fuzz.diag, &fuzz.arena, &fuzz.model);
    mesh_fuzz_end(&fuzz, status, DIAG_MESH_MODEL_BROKEN);
    return 0;
}
