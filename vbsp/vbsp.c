/* The order of a compile. Per model: brushes -> fragments -> tree -> portals -> faces -> records.
 * */
#include "vbsp/vbsp.h"

#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/level/pack_files.h"
#include "vbsp/lint/lint.h"
#include "vbsp/portals/area_portals.h"
#include "vbsp/portals/clusters.h"
#include "vbsp/portals/flood.h"
#include "vbsp/portals/portals.h"
#include "vbsp/report/report.h"
#include "vbsp/target/target.h"
#include "vbsp/tree/tree_build.h"

const struct vbsp_options vbsp_defaults = {.engine = &engine_source,
                                           .light_if_missing = true,
                                           .micro_volume = 1,
                                           .luxel_scale = 1,
                                           .default_luxel_size = 16,
                                           .min_luxel_scale = 1,
                                           .block_size = -1,
                                           .missing_instances = DIAG_ERROR};

static struct tree *build_world_tree(struct compile *compile, const int *structural,
                                     bool all_visible)
{
    struct progress *progress = compile->env->progress;
    struct bounds world = compile_brushes_bounds(compile, compile->entities[0].brushes);
    struct tree_stats stats = {0};
    progress_begin(progress, all_visible ? "tree" : "second pass: tree", 0);
    struct block_rules rules = {.size = compile->target->block_size(compile),
                                .splitters = compile->target->splitters,
                                .all_visible = all_visible};
    struct tree *tree = blocks_build_world(compile, &world, &rules, structural, &stats);
    progress_end(progress);
    progress_begin(progress, all_visible ? "portals" : "second pass: portals", 0);
    int without = portals_make(compile, tree);
    progress_end(progress);
    if (!all_visible || compile->options->no_opt) {
        progress_count(progress, "nodes", stats.nodes);
        progress_count(progress, "brush splits", stats.splits);
        progress_count(progress, "zero-volume leaves", without);
    }
    return tree;
}

struct world {
    struct tree *tree;
    struct flood flood;
};

/* Floods the tree and, if it is sealed, fills the void. */
static void flood_world(struct compile *compile, struct world *world, const char *phase)
{
    progress_begin(compile->env->progress, phase, 0);
    flood_free(&world->flood);
    flood_from_entities(compile, world->tree, &world->flood);
    if (world->flood.seed_count && !world->flood.leaks)
        flood_fill_outside(world->tree);
    progress_end(compile->env->progress);
}

/* Two passes: the first finds the visible sides, the second prefers them as splitters. */
static void shape_world(struct compile *compile, struct world *world)
{
    int *structural = compile_select_brushes(compile, 0, CONTENTS_DETAIL, false);
    world->tree = build_world_tree(compile, structural, true);
    flood_world(compile, world, "flood");
    if (world->flood.leaks) {
        flood_report_leak(compile, &world->flood);
    } else if (!world->flood.seed_count) {
        diag_report(compile->env->diag, DIAG_NOTHING_INSIDE,
                    &(struct diag_where){.file = compile->level->file},
                    "no entity with an origin is in open space, so the outside is not filled");
    } else if (!compile->options->no_opt) {
        flood_mark_visible_sides(compile, world->tree, structural);
        tree_free(world->tree);
        world->tree = build_world_tree(compile, structural, false);
        flood_world(compile, world, "second pass: flood");
        if (world->flood.leaks)
            flood_report_leak(compile, &world->flood);
    }
    arrfree(structural);
}

/* In a leaking map everything is connected through the outside and no areaportal seals. */
static void find_areas(struct compile *compile, const struct world *world, struct vec3 **path)
{
    struct areas areas;
    areas_find(compile, world->tree, &areas);
    if (!world->flood.leaks)
        areas_check(compile, world->tree, &areas, path);
    compile->target->areas(compile, world->tree, &areas);
    areas_free(&areas);
}

/* Writes the records of a tree that the format cannot hold, which limits_check then reports,
 * without the faces that take longest. */
static void write_bare_tree(struct compile *compile, struct world *world)
{
    if (!compile->options->no_prune)
        tree_prune(world->tree->root);
    portals_make(compile, world->tree);
    clusters_give_up(world->tree->root);
    compile->target->world(compile, world->tree, NULL);
}

static void finish_world(struct compile *compile, struct world *world, struct prt *prt)
{
    struct progress *progress = compile->env->progress;
    progress_begin(progress, "faces", 0);
    struct face *loose = compile->target->faces(compile, world->tree);
    progress_end(progress);
    if (!compile->options->no_prune)
        tree_prune(world->tree->root);
    portals_make(compile, world->tree);
    if (world->flood.leaks) {
        clusters_give_up(world->tree->root);
    } else {
        struct portal **written = clusters_number(compile, world->tree, prt);
        compile->target->portals(world->tree, written, prt);
        arrfree(written);
    }
    compile->target->world(compile, world->tree, loose);
}

static void begin_entity(struct compile *compile, const struct compile_entity *entity)
{
    const char *name = arena_printf(&compile->arena, "%s *%d",
                                    entity_value(&entity->keys, "classname"), entity->model);
    progress_begin(compile->env->progress, name, 0);
}

static void compile_brush_model(struct compile *compile, int entity)
{
    if (compile->options->verbose_entities)
        begin_entity(compile, &compile->entities[entity]);
    compile->target->model(compile, entity);
    if (compile->options->verbose_entities)
        progress_end(compile->env->progress);
}

/* `is_wanted`: not only for the report of a limit. */
static enum status write_models(struct compile *compile, struct world *world, bool is_wanted,
                                struct vbsp_output *out)
{
    int64_t nodes = tree_count_nodes(world->tree->root, !compile->options->no_prune);
    if (!limits_allow_nodes(compile, nodes)) {
        write_bare_tree(compile, world);
        return STATUS_OK;
    }
    if (!is_wanted)
        return STATUS_OK;
    finish_world(compile, world, &out->prt);
    TRY(env_go_on(compile->env));
    for (int i = 1; i < (int)arrlen(compile->entities); i++)
        if (compile->entities[i].model > 0)
            compile_brush_model(compile, i);
    return compile->target->finish(compile, world->tree, out);
}

static enum status compile_models(struct compile *compile, struct vbsp_output *out)
{
    struct world world = {0};
    shape_world(compile, &world);
    enum status status = world.flood.leaks ? STATUS_LEAK : STATUS_OK;
    if (world.flood.leaks) {
        out->leak = world.flood.trail;
        world.flood.trail = NULL;
    }
    if (!world.flood.leaks || !compile->options->leak_test)
        find_areas(compile, &world, &out->area_leak);
    if (out->area_leak && compile->options->leak_test)
        status = STATUS_LEAK;
    enum status rest = env_go_on(compile->env);
    if (rest == STATUS_OK)
        rest =
            write_models(compile, &world, status == STATUS_OK || !compile->options->leak_test, out);
    flood_free(&world.flood);
    tree_free(world.tree);
    return rest == STATUS_OK ? status : rest;
}

static enum status check_world(const struct compile *compile)
{
    if (arrlen(compile->entities[0].brushes))
        return STATUS_OK;
    struct diag_where where =
        map_where(compile->level, compile->entities[0].map_entity, NULL, NULL);
    return diag_report(compile->env->diag, DIAG_NO_BRUSHES, &where,
                       "none of the world's solids can be compiled");
}

enum status vbsp_run(const struct env *env, const struct vbsp_options *options,
                     struct assets *assets, const struct level *level, struct vbsp_output *out)
{
    *out = (struct vbsp_output){0};
    struct compile compile;
    TRY(compile_begin(&compile, env, options, assets, level));
    progress_begin(env->progress, "brushes", 0);
    assets_hold_missing(assets);
    enum status status = pack_given_files(&compile);
    if (status == STATUS_OK)
        status = load_map(&compile);
    lint_missing_materials(&compile);
    lint_brushes(&compile);
    if (options->lint)
        lint_missing_models(&compile);
    if (options->lint_entities && status == STATUS_OK)
        lint_loaded(&compile);
    progress_end(env->progress);
    snap_coplanar_sides(&compile);
    if (status == STATUS_OK)
        status = check_world(&compile);
    if (status == STATUS_OK)
        status = env_go_on(env);
    if (status == STATUS_OK)
        status = limits_check_loaded(&compile, &out->limits);
    if (status == STATUS_OK)
        status = compile_models(&compile, out);
    bool complete = status == STATUS_OK || (status == STATUS_LEAK && !options->leak_test);
    if (complete) {
        enum status rest = limits_check(&compile, &out->limits);
        complete = rest == STATUS_OK;
        status = complete ? status : rest;
    }
    if (complete)
        out->bsp = compile.bsp;
    else
        bsp_free(compile.bsp);
    compile_free(&compile);
    return status;
}

void vbsp_output_free(struct vbsp_output *output)
{
    bsp_free(output->bsp);
    prt_free(&output->prt);
    bytes_free(&output->prt_text);
    surface_notes_free(&output->notes);
    arrfree(output->leak);
    arrfree(output->area_leak);
    limit_report_free(&output->limits);
    *output = (struct vbsp_output){0};
}
