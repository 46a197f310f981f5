#include "common/assets/models/model.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/source_models.def"

struct loader {
    struct assets *assets;
    struct arena *arena;
    struct diag *diag;
    const char *stem; /* the name without .mdl */
    struct model *out;
};

static bool read_part(const struct loader *loader, const char *extension, struct bytes *out,
                      struct diag_where *where)
{
    where->file = arena_printf(loader->arena, "%s%s", loader->stem, extension);
    return assets_read(loader->assets, where->file, out);
}

static bool belongs(const struct loader *loader, const struct diag_where *where, uint32_t checksum)
{
    if (checksum == loader->out->mdl.checksum)
        return true;
    (void)diag_report(loader->diag, DIAG_MODEL_STALE, where, "checksum %08x, but %08x in the MDL",
                      checksum, loader->out->mdl.checksum);
    return false;
}

static bool load_vertices(const struct loader *loader)
{
    struct bytes file = {0};
    struct diag_where where = {0};
    struct vvd *vvd = &loader->out->vvd;
    bool loaded = read_part(loader, ".vvd", &file, &where) &&
                  vvd_decode(&file, &where, loader->diag, loader->arena, vvd) == STATUS_OK &&
                  belongs(loader, &where, vvd->checksum);
    bytes_free(&file);
    if (!loaded)
        *vvd = (struct vvd){0};
    return loaded;
}

/* Returns true when the triangles' vertices are in range. */
static bool fits(const struct vvd *vvd, const struct vtx *vtx)
{
    for (size_t i = 0; i < arrlenu(vtx->triangles); i++)
        for (int j = 0; j < 3; j++)
            if (vtx->triangles[i].vertices[j] >= vvd->count)
                return false;
    return true;
}

static bool load_triangles(const struct loader *loader, int32_t lod, struct vtx *vtx)
{
    static const char *const extensions[] = {".dx90.vtx", ".vtx", ".dx80.vtx", ".sw.vtx"};
    struct bytes file = {0};
    struct diag_where where = {0};
    const struct model *model = loader->out;
    bool found = false;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions && !found; i++)
        found = read_part(loader, extensions[i], &file, &where);
    found = found && vtx_decode(&file, &model->mdl, lod, &where, loader->diag, vtx) == STATUS_OK &&
            belongs(loader, &where, vtx->checksum);
    if (found && !fits(&model->vvd, vtx)) {
        (void)diag_report(loader->diag, DIAG_MODEL_STALE, &where,
                          "vertex index beyond the vertices of the VVD");
        found = false;
    }
    if (!found)
        vtx_free(vtx);
    bytes_free(&file);
    return found;
}

static void load_collision(const struct loader *loader)
{
    struct bytes file = {0};
    struct diag_where where = {0};
    struct phy phy = {0};
    if (read_part(loader, ".phy", &file, &where) &&
        phy_decode(&file, &where, loader->diag, &phy) == STATUS_OK &&
        phy_hulls(&phy, 0, &where, loader->diag, &loader->out->collision) != STATUS_OK)
        hull_points_free(&loader->out->collision);
    phy_free(&phy);
    bytes_free(&file);
}

static const char *stem_of(struct arena *arena, const char *name)
{
    size_t length = strlen(name);
    return arena_strndup(arena, name, str_ends_nocase(name, ".mdl") ? length - 4 : length);
}

bool model_load(struct assets *assets, const char *name, struct arena *arena, struct diag *diag,
                struct model *out)
{
    *out = (struct model){0};
    struct loader loader = {assets, arena, diag, stem_of(arena, name), out};
    struct bytes file = {0};
    struct diag_where where = {0};
    bool loaded = read_part(&loader, ".mdl", &file, &where) &&
                  mdl_decode(&file, &where, diag, arena, &out->mdl) == STATUS_OK;
    bytes_free(&file);
    if (!loaded)
        return false;
    if (load_vertices(&loader))
        (void)load_triangles(&loader, 0, &out->vtx);
    load_collision(&loader);
    return true;
}

bool model_load_lod(struct assets *assets, const char *name, const struct model *model, int32_t lod,
                    struct diag *diag, struct vtx *out)
{
    struct arena scratch = {0};
    struct model of = *model;
    const struct loader loader = {assets, &scratch, diag, stem_of(&scratch, name), &of};
    *out = (struct vtx){0};
    bool loaded = load_triangles(&loader, lod, out) && arrlen(out->triangles) > 0;
    if (!loaded)
        vtx_free(out);
    arena_free(&scratch);
    return loaded;
}

void model_free(struct model *model)
{
    vtx_free(&model->vtx);
    hull_points_free(&model->collision);
    *model = (struct model){0};
}

bool model_shows_mesh(const struct mdl *mdl, int32_t mesh)
{
    for (int32_t i = 0; i < mdl->part_count; i++) {
        const struct mdl_part *part = &mdl->parts[i];
        if (!part->model_count)
            continue;
        const struct mdl_model *model = &mdl->models[part->first_model];
        if (mesh >= model->first_mesh && mesh < model->first_mesh + model->mesh_count)
            return true;
    }
    return false;
}
