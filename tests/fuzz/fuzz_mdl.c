/* Any bytes as an MDL: in a model that is accepted every index is in range. */
#include <stdint.h>

#include "common/assets/models/model.h"
#include "common/diag/codes/source_models.def"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mdl(const struct mdl *mdl, size_t size)
{
    check(mdl->mesh_count <= (int32_t)(size / 116) && mdl->model_count <= (int32_t)(size / 148));
    for (int32_t i = 0; i < mdl->part_count; i++)
        check(mdl->parts[i].first_model + mdl->parts[i].model_count <= mdl->model_count);
    for (int32_t i = 0; i < mdl->model_count; i++)
        check(mdl->models[i].first_mesh + mdl->models[i].mesh_count <= mdl->mesh_count);
    for (int32_t i = 0; i < mdl->mesh_count; i++) {
        check(mdl->meshes[i].first_vertex >= 0 && mdl->meshes[i].vertex_count[0] >= 0);
        check(mdl_texture(mdl, 1, mdl->meshes[i].material) < mdl->texture_count);
        (void)model_shows_mesh(mdl, i);
    }
    for (int32_t i = 0; i < mdl->texture_count; i++)
        check(strlen(mdl->textures[i]) < size);
    for (int32_t i = 0; i < mdl->texture_path_count; i++)
        check(strlen(mdl->texture_paths[i]) < size);
    check(vec3_is_finite(mdl->hull.mins) && strlen(mdl->surface_prop) < size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct mdl mdl;
    struct bytes file = {0};
    bytes_append(&file, data, size);
    if (mdl_decode(&file, NULL, diag, &arena, &mdl) == STATUS_OK)
        check_mdl(&mdl, size);
    else
        check(diag_count_code(diag, DIAG_MODEL_BROKEN) == 1);
    bytes_free(&file);
    arena_free(&arena);
    diag_free(diag);
    return 0;
}
