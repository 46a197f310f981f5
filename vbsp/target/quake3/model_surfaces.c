/* Makes the surfaces of a model from everything that is drawn of it. */
#include "common/core/array.h"
#include "common/diag/codes/quake3_models.def"
#include "vbsp/target/quake3/brushes/brushes.h"
#include "vbsp/target/quake3/entities/entities.h"
#include "vbsp/target/quake3/meta/meta.h"
#include "vbsp/target/quake3/models/models.h"
#include "vbsp/target/quake3/patches/decal.h"
#include "vbsp/target/quake3/patches/patch.h"
#include "vbsp/target/quake3/patches/patch_collide.h"
#include "vbsp/target/quake3/quake3.h"
#include "vbsp/target/quake3/surfaces/shader_directives.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/target/quake3/surfaces/surface_options.h"
#include "vbsp/target/quake3/surfaces/texture_place.h"
#include "vbsp/target/quake3/surfaces/tjunctions.h"
#include "vbsp/target/quake3/surfaces/vertex_changes.h"

static int imin(int a, int b)
{
    return a < b ? a : b;
}

struct surface_maker {
    struct compile *compile;
    int entity; /* owner of the model */
    struct draw_surface *surfaces;
};

/* --- patches --- */

static int fog_of(const struct compile *compile, const struct draw_surface *surface)
{
    struct bounds bounds = draw_surface_bounds(surface);
    return surface->shader->compile_flags & SHADER_NO_FOG ? -1
                                                          : quake3_fog_of_bounds(compile, &bounds);
}

static void add_patch(struct surface_maker *maker, int owner, const struct map_patch *patch)
{
    struct compile *compile = maker->compile;
    const struct compile_entity *model = &compile->entities[maker->entity];
    struct draw_surface surface;
    struct vec3 origin = maker->entity > 0 ? model->origin : vec3(0, 0, 0);
    if (!quake3_patch(compile, owner, patch, origin, &surface))
        return;
    (void)patch_check_collision(&surface, compile->env->diag);
    surface.model = model->model;
    if (maker->entity == 0)
        surface.fog = fog_of(compile, &surface);
    const struct entity *keys = &compile->entities[owner].map_entity->keys;
    if (patch_meta_wanted(compile->options, keys, &surface))
        patch_meta_add(compile->options, keys, compile->assets, &surface, &maker->surfaces);
    else
        arrput(maker->surfaces, surface);
}

static void add_patches(struct surface_maker *maker, int owner)
{
    const struct map_entity *map_entity = maker->compile->entities[owner].map_entity;
    for (size_t i = 0; map_entity && i < arrlenu(map_entity->patches); i++)
        add_patch(maker, owner, &map_entity->patches[i]);
}

static void add_all_patches(struct surface_maker *maker)
{
    const struct compile *compile = maker->compile;
    if (compile->options->surfaces->no_curves)
        return;
    add_patches(maker, maker->entity);
    for (int i = 1; i < (int)arrlen(compile->entities) && maker->entity == 0; i++)
        if (compile->entities[i].use == USE_GROUP)
            add_patches(maker, i);
}

/* --- models and decals --- */

static void add_models(struct surface_maker *maker)
{
    struct quake3 *quake3 = quake3_of(maker->compile);
    for (size_t i = 0; maker->entity == 0 && i < arrlenu(quake3->models); i++) {
        struct draw_surface *surface = &quake3->models[i];
        surface->fog = fog_of(maker->compile, surface);
        arrput(maker->surfaces, *surface);
    }
    if (maker->entity == 0)
        arrfree(quake3->models);
}

/* Returns the models that shaders scatter over surfaces, an stb_ds array; they do not collide. */
static struct draw_surface *scattered(struct compile *compile, int entity, enum scatter_kind kind,
                                      const struct draw_surface *surfaces)
{
    struct placed_models placed = {0};
    models_scatter(kind, surfaces, arrlenu(surfaces), compile->assets, compile->env->diag, &placed);
    for (size_t i = 0; i < arrlenu(placed.surfaces) && entity == 0; i++)
        placed.surfaces[i].fog = fog_of(compile, &placed.surfaces[i]);
    clip_bodies_free(placed.bodies);
    return placed.surfaces;
}

/* Moves all to the end of the others. */
static void append(struct draw_surface **surfaces, struct draw_surface *more)
{
    for (size_t i = 0; i < arrlenu(more); i++)
        arrput(*surfaces, more[i]);
    arrfree(more);
}

static void add_decals(struct surface_maker *maker)
{
    struct quake3 *quake3 = quake3_of(maker->compile);
    struct draw_surface *pieces = NULL;
    struct vec3 origin =
        maker->entity > 0 ? maker->compile->entities[maker->entity].origin : vec3(0, 0, 0);
    decals_project(quake3->decals, arrlenu(quake3->decals), maker->surfaces,
                   arrlenu(maker->surfaces), origin, &pieces);
    for (size_t i = 0; i < arrlenu(pieces); i++)
        arrput(maker->surfaces, pieces[i]);
    arrfree(pieces);
}

/* --- final form --- */

static bool is_sky(const struct draw_surface *surface)
{
    return surface->shader->surface_flags & Q3_SURFACE_SKY;
}

/* -mv and -mi, limited to what the engine supports. */
static struct meta_limits limits_of(const struct vbsp_options *options)
{
    struct meta_limits limits = META_LIMITS;
    if (options->surfaces->max_vertices > 0) {
        limits.lightmapped_vertices =
            imin(limits.lightmapped_vertices, options->surfaces->max_vertices);
        limits.vertices = imin(limits.vertices, options->surfaces->max_vertices);
    }
    if (options->surfaces->max_indices > 0)
        limits.indices = imin(limits.indices, options->surfaces->max_indices / 3 * 3);
    return limits;
}

/* Sky is not merged: merged surfaces without lightmap become meshes, and sky is a mesh in no map
 * that was examined. */
static void join(const struct meta_limits *limits, struct draw_surface **surfaces)
{
    struct draw_surface *sky = NULL, *rest = NULL;
    for (size_t i = 0; i < arrlenu(*surfaces); i++) {
        if (is_sky(&(*surfaces)[i]))
            arrput(sky, (*surfaces)[i]);
        else
            arrput(rest, (*surfaces)[i]);
    }
    arrfree(*surfaces);
    surfaces_join(&rest, limits);
    for (size_t i = 0; i < arrlenu(sky); i++)
        arrput(rest, sky[i]);
    arrfree(sky);
    *surfaces = rest;
}

/* Splits surfaces that exceed the engine's limits; drops those without triangles. */
static void split(const struct meta_limits *limits, struct draw_surface **surfaces)
{
    struct draw_surface *whole = *surfaces, *parts = NULL;
    for (size_t i = 0; i < arrlenu(whole); i++) {
        struct draw_surface *surface = &whole[i];
        bool triangles = surface->type == SURFACE_PLANAR || surface->type == SURFACE_MESH;
        if (!triangles)
            arrput(parts, *surface);
        else if (!arrlen(surface->indices))
            draw_surface_free(surface);
        else
            surface_split(surface, limits, &parts);
    }
    arrfree(whole);
    *surfaces = parts;
}

/* Applies what depends on smoothed normals. */
static void change_vertices(const struct compile *compile, int entity,
                            struct draw_surface *surfaces)
{
    const struct change_volume *volumes = quake3_of(compile)->volumes;
    const struct vec3 origin = entity > 0 ? compile->entities[entity].origin : vec3(0, 0, 0);
    surfaces_change_vertices(surfaces, arrlenu(surfaces), volumes, arrlenu(volumes), origin);
    surfaces_offset(surfaces, arrlenu(surfaces));
}

/* Finishes polygons: T-junctions, triangles, clones, smoothed normals. */
static void finish_polygons(struct compile *compile, int entity, struct draw_surface **surfaces)
{
    const struct vbsp_options *options = compile->options;
    if (!options->surfaces->no_tessellation)
        surfaces_tessellate(surfaces);
    if (!options->no_tjunc)
        (void)surfaces_fix_tjunctions(*surfaces, arrlenu(*surfaces), compile->env->threads);
    void (*triangulate)(struct draw_surface *) =
        options->surfaces->max_area ? surface_triangulate_largest : surface_triangulate;
    for (size_t i = 0; i < arrlenu(*surfaces); i++)
        triangulate(&(*surfaces)[i]);
    surfaces_copy(surfaces, compile->assets, compile->env->diag);
    surfaces_smooth(*surfaces, arrlenu(*surfaces), options->surfaces->shade_angle);
    change_vertices(compile, entity, *surfaces);
}

/* It grows by the final alpha of vertices. */
static void add_foliage(struct compile *compile, int entity, struct draw_surface **surfaces)
{
    struct draw_surface *foliage = scattered(compile, entity, SCATTER_FOLIAGE, *surfaces);
    finish_polygons(compile, entity, &foliage);
    append(surfaces, foliage);
}

/* Flares are for those who ask: most engines draw none. */
static void add_flares(struct compile *compile, int entity, struct draw_surface **surfaces)
{
    size_t count = arrlenu(*surfaces);
    surfaces_add_flares(surfaces, compile->assets);
    if (entity == 0)
        quake3_add_flares(compile, surfaces);
    if (compile->options->surfaces->flares || arrlenu(*surfaces) == count)
        return;
    if (!diag_count_code(compile->env->diag, DIAG_Q3_FLARES))
        diag_report(compile->env->diag, DIAG_Q3_FLARES, &(*surfaces)[count].where,
                    "the first is of \"%s\"", (*surfaces)[count].shader->name);
    for (size_t i = count; i < arrlenu(*surfaces); i++)
        draw_surface_free(&(*surfaces)[i]);
    arrsetlen(*surfaces, count);
}

struct draw_surface *quake3_model_surfaces(struct compile *compile, struct tree *tree, int entity)
{
    struct surface_maker maker = {.compile = compile, .entity = entity};
    quake3_side_faces(compile, tree, entity, &maker.surfaces);
    add_all_patches(&maker);
    add_models(&maker);
    append(&maker.surfaces, scattered(compile, entity, SCATTER_MODELS, maker.surfaces));
    add_decals(&maker);
    struct draw_surface *surfaces = maker.surfaces;
    faces_place_textures(surfaces, arrlenu(surfaces));
    finish_polygons(compile, entity, &surfaces);
    add_foliage(compile, entity, &surfaces);
    const struct meta_limits limits = limits_of(compile->options);
    if (!compile->options->surfaces->no_meta)
        join(&limits, &surfaces);
    split(&limits, &surfaces);
    surfaces_place_textures(surfaces, arrlenu(surfaces));
    add_flares(compile, entity, &surfaces);
    patch_group_lod(surfaces, arrlenu(surfaces));
    return surfaces;
}
