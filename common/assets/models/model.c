#include "common/assets/models/model.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"

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
static bool fits(const struct model *model)
{
    for (size_t i = 0; i < arrlenu(model->vtx.triangles); i++)
        for (int j = 0; j < 3; j++)
            if (model->vtx.triangles[i].vertices[j] >= model->vvd.count)
                return false;
    return true;
}

static void load_triangles(const struct loader *loader)
{
    static const char *const extensions[] = {".dx90.vtx", ".vtx", ".dx80.vtx", ".sw.vtx"};
    struct bytes file = {0};
    struct diag_where where = {0};
    struct model *model = loader->out;
    bool found = false;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions && !found; i++)
        found = read_part(loader, extensions[i], &file, &where);
    if (found &&
        vtx_decode(&file, &model->mdl, 0, &where, loader->diag, &model->vtx) == STATUS_OK &&
        belongs(loader, &where, model->vtx.checksum)) {
        found = fits(model);
        if (!found)
            (void)diag_report(loader->diag, DIAG_MODEL_STALE, &where,
                              "vertex index beyond the vertices of the VVD");
    } else {
        found = false;
    }
    if (!found)
        vtx_free(&model->vtx);
    bytes_free(&file);
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

bool model_load(struct assets *assets, const char *name, struct arena *arena, struct diag *diag,
                struct model *out)
{
    size_t length = strlen(name);
    if (str_ends_nocase(name, ".mdl"))
        length -= 4;
    *out = (struct model){0};
    struct loader loader = {assets, arena, diag, arena_strndup(arena, name, length), out};
    struct bytes file = {0};
    struct diag_where where = {0};
    bool loaded = read_part(&loader, ".mdl", &file, &where) &&
                  mdl_decode(&file, &where, diag, arena, &out->mdl) == STATUS_OK;
    bytes_free(&file);
    if (!loaded)
        return false;
    if (load_vertices(&loader))
        load_triangles(&loader);
    load_collision(&loader);
    return true;
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
