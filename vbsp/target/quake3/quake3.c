/* clang-format off */
/* The compile to an IBSP: one tree, of the world, with brushes and surfaces filtered into its leaves.
 *
 * The modules, each of which may include those before it:
 *
 *   surfaces/  draw surfaces: polygons, triangles, patches; T-junctions, clones, flares
 *   patches/   curves, their collision, decals
 *   meta/      triangulation of polygons and merging into as few surfaces as possible
 *   entities/  keys of entities, and the state that steps share
 *   brushes/   contents of brushes by their shaders, fog, visible polygons of their sides
 *   models/    models that become surfaces and brushes, and other objects placed by entities
 *   emit/      records of the bsp
 *
 * This file has the order of the steps, and before it that of the steps for one model. */
/* clang-format on */
#include <math.h>

#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/bsp/sidecar/baked_lights.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/quake3_models.def"
#include "common/diag/codes/quake3_patches.def"
#include "common/diag/codes/updates.def"
#include "common/geom/epsilon.h"
#include "vbsp/context.h"
#include "vbsp/level/adapt/adapt.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/target/quake3/brushes/brushes.h"
#include "vbsp/target/quake3/emit/emit.h"
#include "vbsp/target/quake3/entities/entities.h"
#include "vbsp/target/quake3/meta/meta.h"
#include "vbsp/target/quake3/models/models.h"
#include "vbsp/target/quake3/patches/decal.h"
#include "vbsp/target/quake3/patches/patch.h"
#include "vbsp/target/quake3/patches/patch_collide.h"
#include "vbsp/target/quake3/surfaces/shader_directives.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/target/quake3/surfaces/surface_options.h"
#include "vbsp/target/quake3/surfaces/tjunctions.h"
#include "vbsp/target/quake3/surfaces/vertex_changes.h"
#include "vbsp/target/target.h"
#include "vbsp/tree/tree_build.h"
#include "vbsp/tree/tree_write.h"

/* Makes the surfaces of a model from everything that is drawn of it. */

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

/* The engine turns four vertices at a time to the viewer: others would be torn, with those that
 * they were merged with. Each shader is told once. */
static void part_sprites(const struct compile *compile, struct draw_surface *surfaces)
{
    const struct shader *told = NULL;
    int parted = 0;
    for (size_t i = 0; i < arrlenu(surfaces); i++) {
        struct draw_surface *surface = &surfaces[i];
        if (!(surface->shader->compile_flags & SHADER_AUTOSPRITE) ||
            surface->type == SURFACE_FLARE || draw_surface_is_quads(surface))
            continue;
        surface->apart = ++parted;
        if (surface->shader != told)
            (void)diag_report(compile->env->diag, DIAG_SPRITE_SHAPE, &surface->where, "\"%s\"",
                              surface->shader->name);
        told = surface->shader;
    }
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

/* Makes all surfaces of an entity's model, merged and without T-junctions (an stb_ds array that the
 * caller frees). `tree`: of the world, else NULL. */
static struct draw_surface *quake3_model_surfaces(struct compile *compile, struct tree *tree,
                                                  int entity)
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
    part_sprites(compile, surfaces);
    if (!compile->options->surfaces->no_meta)
        join(&limits, &surfaces);
    split(&limits, &surfaces);
    surfaces_place_textures(surfaces, arrlenu(surfaces));
    add_flares(compile, entity, &surfaces);
    patch_group_lod(surfaces, arrlenu(surfaces));
    return surfaces;
}

/* --- quake3 --- */

#define BLOCK_SIZE 1024.0
#define BLOCK_MIN  64.0

static void begin(struct compile *compile)
{
    struct quake3 *quake3 = memory_zalloc(1, sizeof *quake3);
    quake3->light_grid = bounds_empty();
    compile->state = quake3;
}

static bool no_displacement(struct compile *compile, struct map_brush *brush)
{
    (void)compile, (void)brush;
    return false;
}

static void made_brushes(struct compile *compile, struct map_brush ***made)
{
    int portals = 0;
    quake3_report_contents(compile);
    quake3_load_placed(compile, made);
    quake3_add_global_fog(compile, made);
    for (size_t i = 0; i < arrlenu(made); i++)
        for (size_t j = 0; j < arrlenu(made[i]); j++)
            if (made[i][j]->contents & CONTENTS_AREAPORTAL)
                made[i][j]->area_portal = ++portals;
}

/* -blocksize, or the world's key: three numbers, or one for all; 0: not cut. */
static struct vec3 block_size(const struct compile *compile)
{
    struct vec3 size = vec3(BLOCK_SIZE, BLOCK_SIZE, BLOCK_SIZE);
    const struct entity *keys = &compile->entities[0].keys;
    const char *key = entity_has(keys, "_blocksize") ? "_blocksize" : "blocksize";
    if (compile->options->block_size >= 0)
        size = vec3(compile->options->block_size, compile->options->block_size,
                    compile->options->block_size);
    else if (entity_has(keys, key) && !entity_vector(keys, key, &size)) {
        double all = entity_number(keys, key, BLOCK_SIZE);
        size = vec3(all, all, all);
    }
    for (int i = 0; i < 3; i++)
        size.e[i] = size.e[i] > 0 ? portable_fmax(size.e[i], BLOCK_MIN) : 0;
    return size;
}

/* Areas are stored in the leaves only. */
static void no_areas(const struct compile *compile, struct tree *tree, const struct areas *areas)
{
    (void)compile, (void)tree, (void)areas;
}

static void add_leaf_walls(const struct node *leaf, struct prt *prt)
{
    for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
        int side = portal_side(portal, leaf);
        if (leaf_is_open(portal->nodes[!side]) || !portal->on_node)
            continue;
        struct prt_face face = {.cluster = leaf->cluster};
        face.winding = side ? winding_reverse(&prt->arena, portal->winding)
                            : winding_copy(&prt->arena, portal->winding);
        arrput(prt->quake3.faces, face);
    }
}

/* The PRT of this family also lists the walls of clusters. */
static void add_all_walls(const struct node *node, struct prt *prt)
{
    if (node->plane == PLANE_LEAF) {
        if (node->cluster >= 0)
            add_leaf_walls(node, prt);
        return;
    }
    add_all_walls(node->children[0], prt);
    add_all_walls(node->children[1], prt);
}

static void add_walls(const struct tree *tree, struct portal *const *written, struct prt *prt)
{
    prt->quake3.wanted = true;
    for (size_t i = 0; i < arrlenu(written); i++) {
        const struct brush_side *splitter = written[i]->on_node->splitter;
        bool hint = splitter && (splitter->flags & SURFACE_HINT);
        arrput(prt->quake3.flags, hint ? PRT_HINT : 0);
    }
    add_all_walls(tree->root, prt);
}

static struct face *make_faces(struct compile *compile, struct tree *tree)
{
    quake3_find_fogs(compile);
    quake3_find_terrains(compile);
    quake3_of(compile)->surfaces = quake3_model_surfaces(compile, tree, 0);
    return NULL;
}

static void write_model(struct compile *compile, int entity)
{
    quake3_emit_model(compile, entity, quake3_model_surfaces(compile, NULL, entity));
}

/* Numbers entities as in the lump; surfaces of removed ones, and of models that only stay there,
 * belong to the world. */
static void number_entities(struct compile *compile)
{
    struct surface_note *notes = quake3_of(compile)->notes.items;
    const bool keeps =
        compile->options->keep_lights || world_keeps_lights(&compile->entities[0].keys);
    int *numbers = NULL, written = 0;
    for (size_t i = 0; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        arrput(numbers, entity->dropped || entity->use == USE_GONE ? 0 : written);
        written += !entity->dropped && (keeps || !entity_is_baked_light(&entity->keys));
    }
    for (size_t i = 0; i < arrlenu(notes); i++)
        notes[i].entity = numbers[notes[i].entity];
    arrfree(numbers);
}

static enum status finish(struct compile *compile, const struct tree *world,
                          struct vbsp_output *out)
{
    (void)world;
    number_entities(compile);
    out->notes = quake3_of(compile)->notes;
    quake3_of(compile)->notes = (struct surface_notes){0};
    planes_write(&compile->planes, compile->bsp);
    quake3_emit_brushes(compile);
    quake3_emit_fogs(compile);
    if (compile->bsp->engine->light.has_styles)
        bsp_plain_surfaces(compile->bsp);
    decals_report(quake3_of(compile)->decals, arrlenu(quake3_of(compile)->decals),
                  compile->env->diag);
    quake3_mark_pages(compile);
    quake3_mark_lights(compile);
    entities_write(compile);
    TRY(surface_notes_take_lights(&out->notes, compile->bsp, compile->env->diag));
    /* The engine would fail to load the map. */
    bool refused = diag_count_code(compile->env->diag, DIAG_PATCH_COLLISION) > 0;
    return refused ? STATUS_FAILED : STATUS_OK;
}

static enum status update_props(struct compile *compile, struct bsp *bsp)
{
    (void)bsp;
    struct diag_where where = {.file = compile->level->file};
    return diag_report(
        compile->env->diag, DIAG_UPDATE_MISMATCH, &where,
        "-onlyprops does not apply: models in Quake 3 maps are surfaces of the world");
}

static const struct brush_side *no_side(const struct compile *compile, int face)
{
    (void)compile, (void)face;
    return NULL;
}

static void release(struct compile *compile)
{
    struct quake3 *quake3 = quake3_of(compile);
    draw_surfaces_free(quake3->surfaces);
    quake3_placed_free(quake3);
    change_volumes_free(quake3->volumes);
    quake3_made_free(quake3);
    quake3_terrains_free(quake3);
    hmfree(quake3->brush_shaders);
    quake3_shaders_free(quake3);
    arrfree(quake3->fogs);
    quake3_runs_free(quake3);
    surface_notes_free(&quake3->notes);
    memory_free(quake3);
    compile->state = NULL;
}

const struct vbsp_target vbsp_target_quake3 = {
    .adapt = adapt_to_quake3,
    .begin = begin,
    .release = release,
    .class_use = quake3_class_use,
    .keys = quake3_keys,
    .contents = quake3_contents,
    .displace = no_displacement,
    .keep = quake3_keep,
    .made = made_brushes,
    .has_model = quake3_has_model,
    .loaded = quake3_loaded,
    .block_size = block_size,
    .splitters = &splitters_open,
    .areas = no_areas,
    .portals = add_walls,
    .faces = make_faces,
    .world = quake3_world,
    .model = write_model,
    .finish = finish,
    .side_of_face = no_side,
    .update_entities = quake3_update_entities,
    .update_props = update_props,
};
