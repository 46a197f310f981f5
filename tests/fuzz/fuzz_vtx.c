/* Any bytes as the VTX of a box: each triangle belongs to an existing mesh, and has its
 * vertices. */
#include <stdint.h>

#include "common/assets/models/vtx.h"
#include "common/core/array.h"
#include "common/diag/codes/source_models.def"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/model_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lod(const struct bytes *file, const struct mdl *mdl, int32_t lod)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct vtx vtx;
    if (vtx_decode(file, mdl, lod, NULL, diag, &vtx) == STATUS_OK) {
        check(arrlenu(vtx.triangles) <= file->size / 2);
        for (size_t i = 0; i < arrlenu(vtx.triangles); i++)
            for (int j = 0; j < 3; j++)
                check(vtx.triangles[i].mesh == 0 && vtx.triangles[i].vertices[j] >= 0 &&
                      vtx.triangles[i].vertices[j] < BOX_VERTICES);
    } else {
        check(diag_count_code(diag, DIAG_MODEL_BROKEN) == 1 && !vtx.triangles);
    }
    vtx_free(&vtx);
    diag_free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct bytes box = {0}, file = {0};
    struct mdl mdl;
    bytes_append(&file, data, size);
    for (int version = 48; version <= 49; version++) {
        model_files_mdl(&box, version, 0);
        check(mdl_decode(&box, NULL, diag, &arena, &mdl) == STATUS_OK);
        check_lod(&file, &mdl, 0);
        check_lod(&file, &mdl, 1);
        bytes_free(&box);
    }
    bytes_free(&file);
    arena_free(&arena);
    diag_free(diag);
    return 0;
}
