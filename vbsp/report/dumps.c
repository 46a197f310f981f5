#include "vbsp/report/dumps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/lumps/physics.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/geom/vec.h"
#include "common/io/fs.h"
#include "common/text/entities.h"
#include "vbsp/target/source/combine/combine_options.h"

/* Rules for combining the static props of a map, by where they stand. */

enum { FEWEST = 2, STEP = 64 };

/* Props of a model, and the distance within which each of those that have a neighbour has one. */
struct group_use {
    int64_t count;
    double distance;
};

static struct vec3 place_of(const struct static_props *props, size_t prop)
{
    return vec3_from_floats(props->props[prop].origin);
}

/* The distance to the nearest other prop of the model. */
static double nearest(const struct static_props *props, size_t prop)
{
    double closest = HUGE_VAL;
    for (size_t i = 0; i < arrlenu(props->props); i++)
        if (i != prop && props->props[i].model == props->props[prop].model)
            closest =
                portable_fmin(closest, vec3_distance(place_of(props, i), place_of(props, prop)));
    return closest;
}

static struct group_use use_of(const struct static_props *props, int32_t model)
{
    struct group_use use = {0};
    for (size_t i = 0; i < arrlenu(props->props); i++) {
        double distance = props->props[i].model == model ? nearest(props, i) : HUGE_VAL;
        if (!(distance <= combine_defaults.distance))
            continue;
        use.count++;
        use.distance = portable_fmax(use.distance, distance);
    }
    return use;
}

static void put_rules(const struct static_props *props, struct bytes *out)
{
    bytes_append_text(out, "combine\n{\n");
    for (size_t i = 0; i < arrlenu(props->models); i++) {
        struct group_use use = use_of(props, (int32_t)i);
        if (use.count < FEWEST || strchr(props->models[i], '"') ||
            strstr(props->models[i], "/combined_"))
            continue;
        /* Twice that far is the prop on the other side of the nearest. */
        double reach = (ceil(2 * use.distance / (double)STEP) + 1) * (double)STEP;
        bytes_append_text(out, "    group // %lld props\n    {\n        \"model\" \"%s\"\n",
                          (long long)use.count, props->models[i]);
        bytes_append_text(out, "        \"distance\" \"%.0f\"\n    }\n", reach);
    }
    bytes_append_text(out, "}\n");
}

/* Rules for --combine-rules: a group for each model that stands at least twice within the default
 * distance. Fails when the lump is corrupt. */
static enum status dump_combine_rules(const struct bsp *bsp, const struct diag_where *where,
                                      struct diag *diag, struct bytes *out)
{
    const struct bsp_game_lump *lump = bsp_game_lump(bsp, STATIC_PROPS_ID);
    struct static_props props = {0};
    enum static_prop_form form;
    if (lump)
        TRY(static_props_decode(&lump->data, lump->version, ORDER_LITTLE, where, diag, &props,
                                &form));
    put_rules(&props, out);
    static_props_free(&props);
    return STATUS_OK;
}

/* The contents of game and physics lumps as text. */

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

/* Collision models: per model its solids, their convex hulls with points (in map units) and
 * triangles, and the model's text. Fails when the lump is corrupt. */
static enum status dump_collide(const struct bsp *bsp, const struct diag_where *where,
                                struct diag *diag, struct bytes *out)
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

/* A block of keys and values per static prop. Fails when the lump is corrupt. */
static enum status dump_static_props(const struct bsp *bsp, const struct diag_where *where,
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

/* Polygons for external viewers. */

static void put_point(struct bytes *out, struct vec3 point, const double colour[3])
{
    bytes_append_text(out, "%.3f %.3f %.3f %.3f %.3f %.3f\n", point.x, point.y, point.z, colour[0],
                      colour[1], colour[2]);
}

static void put_face(const struct bsp *bsp, const struct bsp_face *face, struct vec3 origin,
                     struct bytes *out)
{
    double colour[3] = {1, 1, 1};
    if (face->texinfo >= 0 && bsp->texinfo[face->texinfo].texdata >= 0) {
        const struct bsp_texdata *texdata = &bsp->texdata[bsp->texinfo[face->texinfo].texdata];
        for (int i = 0; i < 3; i++)
            colour[i] = portable_fmin(portable_fmax((double)texdata->reflectivity[i], 0), 1);
    }
    bytes_append_text(out, "%d\n", face->edge_count);
    for (int i = 0; i < face->edge_count; i++)
        put_point(out, vec3_add(bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i)), origin), colour);
}

/* The origin of each model; an stb_ds array. */
static struct vec3 *find_origins(const struct bsp *bsp)
{
    struct entity_list list = {0};
    struct vec3 *origins = NULL;
    for (size_t i = 0; i < arrlenu(bsp->models); i++)
        arrput(origins, vec3(0, 0, 0));
    struct diag *silent = diag_new(NULL, NULL);
    bool read =
        entities_parse(bsp->entities, arrlenu(bsp->entities), "", silent, &list) == STATUS_OK;
    for (size_t i = 0; read && i < arrlenu(list.entities); i++) {
        const char *model = entity_value(&list.entities[i], "model");
        int64_t number = *model == '*' ? strtoll(model + 1, NULL, 10) : 0;
        if (number > 0 && number < arrlen(origins))
            (void)entity_vector(&list.entities[i], "origin", &origins[number]);
    }
    entities_free(&list);
    diag_free(silent);
    return origins;
}

/* The drawn faces of the world and of brush entities at their origins. Per polygon a line with the
 * number of its points, then per point a line "x y z red green blue", colours from 0 to 1: the mean
 * colour of the material. */
static void dump_gl_faces(const struct bsp *bsp, struct bytes *out)
{
    struct vec3 *origins = find_origins(bsp);
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        for (int j = 0; j < model->face_count; j++)
            put_face(bsp, &bsp->faces[model->first_face + j], origins[i], out);
    }
    arrfree(origins);
}

/* The same for portals, each with a colour of its own. */
static void dump_gl_portals(const struct prt *prt, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(prt->portals); i++) {
        const struct winding *winding = prt->portals[i].winding;
        const double colour[3] = {random_unit(i, 0), random_unit(i, 1), random_unit(i, 2)};
        bytes_append_text(out, "%d\n", winding->count);
        for (int j = 0; j < winding->count; j++)
            put_point(out, winding->points[j], colour);
    }
}

/* --- dumps --- */

static const char *dump_path(struct arena *arena, const char *bsp, bool temporary,
                             const char *ending)
{
    const char *base = strcmp(bsp, "-") == 0 ? "vbsp.bsp" : bsp;
    if (temporary)
        base = arena_printf(arena, "/tmp/%s", path_name(base));
    return path_beside(arena, base, ".bsp", ending);
}

enum dump { DUMP_FACES, DUMP_PORTALS, DUMP_COLLIDE, DUMP_STATIC_PROPS, DUMP_COMBINE_RULES, DUMPS };

static const char *const endings[DUMPS] = {".gl", ".portals.gl", ".collide.txt", ".staticprops.txt",
                                           ".combine.txt"};

static enum status make_dump(const struct env *env, enum dump dump, const char *map,
                             const struct vbsp_output *output, struct bytes *text)
{
    struct diag_where where = {.file = map};
    switch (dump) {
    case DUMP_FACES:
        dump_gl_faces(output->bsp, text);
        return STATUS_OK;
    case DUMP_PORTALS:
        dump_gl_portals(&output->prt, text);
        return STATUS_OK;
    case DUMP_COLLIDE:
        return dump_collide(output->bsp, &where, env->diag, text);
    case DUMP_STATIC_PROPS:
        return dump_static_props(output->bsp, &where, env->diag, text);
    case DUMP_COMBINE_RULES:
        return dump_combine_rules(output->bsp, &where, env->diag, text);
    case DUMPS:
        break;
    }
    return STATUS_OK;
}

static void want_dumps(const struct vbsp_dumps *dumps, bool wanted[DUMPS])
{
    wanted[DUMP_FACES] = wanted[DUMP_PORTALS] = dumps->gl_view;
    wanted[DUMP_COLLIDE] = dumps->collide;
    wanted[DUMP_STATIC_PROPS] = dumps->static_props;
    wanted[DUMP_COMBINE_RULES] = dumps->combine_rules;
}

static const char *path_of(struct arena *arena, const char *bsp_path,
                           const struct vbsp_dumps *dumps, int dump)
{
    bool temporary = dumps->temporary_out && dump <= DUMP_PORTALS;
    return dump_path(arena, bsp_path, temporary, endings[dump]);
}

bool vbsp_has_dumps(const struct vbsp_dumps *dumps)
{
    return dumps->gl_view || dumps->collide || dumps->static_props || dumps->combine_rules;
}

enum status vbsp_prepare_dumps(const struct env *env, const char *bsp_path,
                               const struct vbsp_dumps *dumps)
{
    struct arena arena = {0};
    enum status status = STATUS_OK;
    bool wanted[DUMPS];
    want_dumps(dumps, wanted);
    for (int i = 0; i < DUMPS && status == STATUS_OK; i++)
        if (wanted[i])
            status = fs_prepare_beside(env->fs, env->diag, path_of(&arena, bsp_path, dumps, i));
    arena_free(&arena);
    return status;
}

enum status vbsp_write_dumps(const struct env *env, const char *bsp_path,
                             const struct vbsp_dumps *dumps, const struct vbsp_output *output)
{
    bool portals = arrlen(output->prt.portals) > 0; /* none if the map leaks or is updated */
    bool wanted[DUMPS];
    want_dumps(dumps, wanted);
    wanted[DUMP_PORTALS] &= portals;
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (int i = 0; i < DUMPS && output->bsp && status == STATUS_OK; i++) {
        struct bytes text = {0};
        if (!wanted[i])
            continue;
        const char *path = path_of(&arena, bsp_path, dumps, i);
        status = make_dump(env, (enum dump)i, bsp_path, output, &text);
        if (status == STATUS_OK)
            status = env_store(env, path, text.data, text.size);
        bytes_free(&text);
    }
    arena_free(&arena);
    return status;
}
