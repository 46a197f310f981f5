#include "common/assets/models/mesh_model.h"

#include "common/assets/assets.h"
#include "common/assets/models/mesh_build.h"
#include "common/core/strings.h"

enum mesh_model_found mesh_model_load(struct assets *assets, const char *name, int frame,
                                      const struct diag_where *where, struct diag *diag,
                                      struct arena *arena, struct mesh_model *out)
{
    struct bytes file = {0};
    enum status status = STATUS_FAILED;
    *out = (struct mesh_model){0};
    if (!assets_read(assets, name, &file))
        return MESH_MODEL_MISSING;
    struct diag_where at = where ? *where : (struct diag_where){0};
    at.file = name;
    at.line = 0;
    if (str_ends_nocase(name, ".md3"))
        status = md3_decode(&file, frame, &at, diag, arena, out);
    else if (str_ends_nocase(name, ".ase"))
        status = ase_decode(&file, &at, diag, arena, out);
    else if (str_ends_nocase(name, ".obj"))
        status = obj_decode(&file, &at, diag, arena, out);
    else
        (void)diag_report(diag, DIAG_MESH_MODEL_KIND, &at, "%s", name);
    bytes_free(&file);
    return status == STATUS_OK ? MESH_MODEL_LOADED : MESH_MODEL_BROKEN;
}

const char *mesh_model_shader(struct arena *arena, const char *text)
{
    return mesh_shader_name(arena, text, strlen(text));
}
