/* The contents of game and physics lumps as text. */
#include "common/bsp/lumps/physics.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"
#include "vbsp/report/dumps.h"

#define UNITS_A_METRE (1 / 0.0254)

static void put_ledge(const struct physics_solid *solid, const struct physics_ledge *ledge,
                      struct bytes *out)
{
    bytes_append_text(out, "    hull of brush %d, %d triangles\n", ledge->client,
                      ledge->triangle_count);
    for (int i = 0; i < ledge->triangle_count; i++) {
        const struct physics_triangle *triangle = &solid->triangles[ledge->first_triangle + i];
        bytes_append_text(out, "     ");
        for (int j = 0; j < 3; j++) {
            const float *p = solid->points[triangle->edges[j].point].p;
            bytes_append_text(out, " (%.3f %.3f %.3f)", (double)p[0] * UNITS_A_METRE,
                              (double)p[2] * UNITS_A_METRE, 0.0 - (double)p[1] * UNITS_A_METRE);
        }
        bytes_append_text(out, " material %d\n", triangle->material);
    }
}

static enum status put_solid(const struct bytes *bytes, size_t number,
                             const struct diag_where *where, struct diag *diag, struct bytes *out)
{
    struct physics_solid solid;
    TRY(physics_solid_decode(bytes, where, diag, &solid));
    int hulls = 0;
    for (size_t i = 0; i < arrlenu(solid.ledges); i++)
        hulls += !solid.ledges[i].is_outer;
    bytes_append_text(out, "  solid %zu: %d hulls, %td points\n", number, hulls,
                      arrlen(solid.points));
    for (size_t i = 0; i < arrlenu(solid.ledges); i++)
        if (!solid.ledges[i].is_outer)
            put_ledge(&solid, &solid.ledges[i], out);
    physics_solid_free(&solid);
    return STATUS_OK;
}

enum status dump_collide(const struct bsp *bsp, const struct diag_where *where, struct diag *diag,
                         struct bytes *out)
{
    struct physics physics;
    TRY(physics_decode(&bsp->physics, where, diag, &physics));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(physics.models) && status == STATUS_OK; i++) {
        const struct physics_model *model = &physics.models[i];
        bytes_append_text(out, "model %d: %td solids\n", model->index, arrlen(model->solids));
        for (size_t j = 0; j < arrlenu(model->solids) && status == STATUS_OK; j++)
            status = put_solid(&model->solids[j], j, where, diag, out);
        size_t length = model->text.size;
        while (length && !model->text.data[length - 1])
            length--;
        bytes_append(out, model->text.data, length);
        bytes_append_text(out, "\n");
    }
    physics_free(&physics);
    return status;
}

static void put_vector(struct bytes *out, const char *key, const float v[3])
{
    bytes_append_text(out, "    \"%s\" \"%g %g %g\"\n", key, (double)v[0], (double)v[1],
                      (double)v[2]);
}

static void put_prop(const struct static_props *props, const struct static_prop *prop,
                     struct bytes *out)
{
    bytes_append_text(out, "prop\n{\n    \"model\" \"%s\"\n", props->models[prop->model]);
    put_vector(out, "origin", prop->origin);
    put_vector(out, "angles", prop->angles);
    bytes_append_text(out, "    \"solid\" \"%d\"\n    \"skin\" \"%d\"\n    \"flags\" \"0x%x\"\n",
                      prop->solid, prop->skin, prop->flags);
    bytes_append_text(out, "    \"fademindist\" \"%g\"\n    \"fademaxdist\" \"%g\"\n",
                      (double)prop->fade_min, (double)prop->fade_max);
    bytes_append_text(out, "    \"fadescale\" \"%g\"\n", (double)prop->forced_fade_scale);
    if (prop->flags & STATIC_PROP_HAS_LIGHTING_ORIGIN)
        put_vector(out, "lightingorigin", prop->lighting_origin);
    bytes_append_text(out, "    \"leaves\" \"");
    for (int i = 0; i < prop->leaf_count; i++)
        bytes_append_text(out, "%s%d", i ? " " : "", props->leaves[prop->first_leaf + i]);
    bytes_append_text(out, "\"\n}\n");
}

static bool is_whole(const struct static_props *props, const struct static_prop *prop)
{
    return prop->model >= 0 && prop->model < arrlen(props->models) && prop->first_leaf >= 0 &&
           prop->leaf_count >= 0 && prop->leaf_count <= arrlen(props->leaves) - prop->first_leaf;
}

enum status dump_static_props(const struct bsp *bsp, const struct diag_where *where,
                              struct diag *diag, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++) {
        const struct bsp_game_lump *lump = &bsp->game_lumps[i];
        struct static_props props = {0};
        enum static_prop_form form;
        if (lump->id != STATIC_PROPS_ID)
            continue;
        TRY(static_props_decode(&lump->data, lump->version, ORDER_LITTLE, where, diag, &props,
                                &form));
        for (size_t j = 0; j < arrlenu(props.props); j++)
            if (is_whole(&props, &props.props[j]))
                put_prop(&props, &props.props[j], out);
        static_props_free(&props);
    }
    return STATUS_OK;
}
