/* clang-format off */
/* The compile for Source: a tree for the world and for each brush entity, then everything that
 * belongs to no model.
 *
 * The modules, each of which may include those before it:
 *
 *   entities/       contents of brushes, keys of entities, and the state that steps share
 *   materials/      materials made for the map, cubemaps, overlays
 *   faces/          polygons that will be drawn, complete and welded
 *   displacements/  grids that replace flat sides
 *   physics/        collision models
 *   props/          static and detail props
 *   combine/        static props that become one model
 *   emit/           records of the bsp
 *   update/         partial update of an existing BSP */
/* clang-format on */
#include "common/core/array.h"
#include "common/diag/codes/face_lightmaps.def"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/csg/csg_options.h"
#include "vbsp/level/adapt/adapt.h"
#include "vbsp/level/class_names.h"
#include "vbsp/level/dx_level.h"
#include "vbsp/level/key_notes.h"
#include "vbsp/portals/portals.h"
#include "vbsp/target/source/combine/combine.h"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/entities/entities.h"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/target/source/materials/cubemap.h"
#include "vbsp/target/source/materials/material_patch.h"
#include "vbsp/target/source/materials/overlay.h"
#include "vbsp/target/source/physics/physics.h"
#include "vbsp/target/source/props/props.h"
#include "vbsp/target/source/update/update.h"
#include "vbsp/tree/tree_build.h"
#include "vbsp/tree/tree_write.h"

static void begin(struct compile *compile)
{
    struct source_state *state = memory_zalloc(1, sizeof *state);
    vertex_pool_init(&state->pool, &compile->bsp->vertices, compile->options->no_weld);
    compile->state = state;
}

static void release(struct compile *compile)
{
    struct source_state *state = source_state(compile);
    emit_free(compile);
    physics_maker_free(compile);
    overlays_free(compile);
    material_patches_free(compile);
    vertex_pool_free(&state->pool);
    arrfree(state->displacements);
    arrfree(state->face_sides);
    memory_free(state);
    compile->state = NULL;
}

static enum status loaded(struct compile *compile)
{
    portal_windows_open(compile);
    occluders_number(compile);
    overlays_load(compile);
    cubemaps_add(compile);
    cubemaps_assign(compile);
    light_styles_assign(compile);
    compile_time_report(compile->level, compile->env->diag);
    key_notes_report(compile->level, compile->env->diag);
    class_names_report(compile->level, compile->env->diag);
    compile_only_drop(compile);
    return STATUS_OK;
}

/* Columns: small trees are better trees. */
static struct vec3 block_size(const struct compile *compile)
{
    (void)compile;
    return vec3(1024, 1024, 0);
}

static void add_no_portals(const struct tree *tree, struct portal *const *written, struct prt *prt)
{
    (void)tree, (void)written, (void)prt;
}

/* --- trees and records --- */

/* Margin around a model's brushes for its tree. */
#define MODEL_MARGIN 8.0

/* Fragments of the brushes, chopped against each other. */
static struct brush *chopped_fragments(struct arena *arena, const struct compile *compile,
                                       const int *brushes)
{
    struct brush *fragments = NULL, **tail = &fragments;
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        *tail = brush_fragment_new(arena, compile->brushes[brushes[i]], true);
        tail = &(*tail)->next;
    }
    if (!compile->options->csg->no_csg)
        fragments = csg_chop(arena, &compile->planes, fragments);
    return fragments;
}

static void make_faces(struct compile *compile, struct tree *tree)
{
    faces_make(compile, tree);
    if (!compile->options->no_merge)
        faces_merge(compile, tree);
    if (!compile->options->no_subdiv)
        faces_subdivide(compile, tree);
}

static struct face *make_world_faces(struct compile *compile, struct tree *tree)
{
    if (tree->has_slivers)
        portals_make_fine(compile, tree);
    make_faces(compile, tree);
    int *detail = compile_select_brushes(compile, 0, CONTENTS_DETAIL, true);
    struct brush *fragments = chopped_fragments(&tree->arena, compile, detail);
    struct face *loose = faces_make_detail(compile, tree, fragments);
    arrfree(detail);
    struct face **end = &loose;
    while (*end)
        end = &(*end)->next;
    *end = faces_make_displacements(compile, tree);
    faces_fix_tjunctions(compile, tree, loose);
    return loose;
}

static void write_world(struct compile *compile, struct tree *tree, struct face *loose)
{
    emit_begin(compile);
    emit_model(compile, 0, tree, loose);
    physics_add_world(compile);
}

static void write_model(struct compile *compile, int entity)
{
    struct tree *tree = memory_zalloc(1, sizeof *tree);
    const int *brushes = compile->entities[entity].brushes;
    tree->bounds = compile_brushes_bounds(compile, brushes);
    for (int i = 0; i < 3; i++) {
        tree->bounds.mins.e[i] -= MODEL_MARGIN;
        tree->bounds.maxs.e[i] += MODEL_MARGIN;
    }
    struct brush *fragments = chopped_fragments(&tree->arena, compile, brushes);
    struct brush *volume = brush_fragment_box(&tree->arena, &compile->planes, &tree->bounds);
    struct tree_stats stats = {0};
    tree->root =
        tree_build(&tree->arena, &compile->planes, &splitters_balanced, fragments, volume, &stats);
    portals_make_fine(compile, tree);
    make_faces(compile, tree);
    faces_fix_tjunctions(compile, tree, NULL);
    emit_model(compile, entity, tree, NULL);
    physics_add_model(compile, entity, tree);
    tree_free(tree);
}

/* --- records of no model --- */

static enum status pack_files(struct compile *compile)
{
    if (!arrlenu(compile->pakfile.files))
        return STATUS_OK;
    struct diag_where where = {.file = compile->level->file};
    return pakfile_encode(&compile->pakfile, ZIP_STORED, &where, compile->env->diag,
                          &compile->bsp->pakfile);
}

/* Texinfo still has the compile's numbers. */
static enum status add_extras(struct compile *compile)
{
    emit_fillers(compile);
    overlays_emit(compile);
    water_pack(compile);
    if (!dx_level_skips_cubemaps(compile->options->dx_level))
        cubemaps_pack(compile);
    TRY(static_props_emit(compile));
    TRY(detail_props_emit(compile));
    return pack_files(compile);
}

static enum status finish(struct compile *compile, const struct tree *tree, struct vbsp_output *out)
{
    (void)out;
    tjunctions_fit(compile);
    occluders_emit(compile, tree);
    TRY(physics_finish(compile));
    planes_write(&compile->planes, compile->bsp);
    emit_brushes(compile);
    displacements_emit(compile);
    displacements_emit_hulls(compile);
    enum status status = add_extras(compile);
    emit_texinfo(compile);
    entities_finish(compile);
    TRY(status);
    if (diag_count_code(compile->env->diag, DIAG_LIGHTMAP_DENSE))
        return STATUS_FAILED;
    lint_faces(compile);
    return STATUS_OK;
}

static const struct brush_side *side_of_face(const struct compile *compile, int face)
{
    const struct source_state *state = source_state(compile);
    return face < (int)arrlen(state->face_sides) ? state->face_sides[face] : NULL;
}

const struct vbsp_target vbsp_target_source = {
    .whole_origins = true,
    .open_worlds = true,
    .adapt = adapt_to_source,
    .begin = begin,
    .release = release,
    .class_use = class_use_of,
    .keys = source_keys,
    .contents = source_contents,
    .displace = displacements_load,
    .keep = source_keep,
    .made = source_made,
    .has_model = source_has_model,
    .loaded = loaded,
    .changed = portal_windows_open,
    .block_size = block_size,
    .splitters = &splitters_balanced,
    .areas = areas_emit,
    .portals = add_no_portals,
    .faces = make_world_faces,
    .world = write_world,
    .model = write_model,
    .finish = finish,
    .side_of_face = side_of_face,
    .update_entities = source_update_entities,
    .update_props = source_update_props,
};
