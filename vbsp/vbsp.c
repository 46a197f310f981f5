#include "vbsp/vbsp.h"

#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/diag/codes/worlds.def"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/csg/brush_options.h"
#include "vbsp/csg/csg_options.h"
#include "vbsp/level/pack_files.h"
#include "vbsp/lint/lint.h"
#include "vbsp/options.h"
#include "vbsp/portals/area_portals.h"
#include "vbsp/portals/clusters.h"
#include "vbsp/portals/flood.h"
#include "vbsp/portals/leak_guesses.h"
#include "vbsp/portals/portals.h"
#include "vbsp/report/report.h"
#include "vbsp/resume/compile_cache.h"
#include "vbsp/target/quake3/surfaces/surface_options.h"
#include "vbsp/target/source/combine/combine_options.h"
#include "vbsp/target/target.h"
#include "vbsp/tree/tree_build.h"

const struct vbsp_options vbsp_defaults = {.engine = &engine_source,
                                           .luxel_scale = 1,
                                           .min_luxel_scale = 1,
                                           .max_lightmap_dim = 32,
                                           .default_cubemap_side = 32,
                                           .csg = &(const struct csg_options){0},
                                           .brushes = &brush_defaults,
                                           .combine = &combine_defaults,
                                           .surfaces = &(const struct surface_options){0},
                                           .block_size = -1,
                                           .missing_instances = DIAG_ERROR};

static struct tree *build_world_tree(struct compile *compile, const int *structural,
                                     bool all_visible)
{
    struct progress *progress = compile->env->progress;
    struct bounds world = compile_world_bounds(compile);
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

/* Builds and floods the tree of the first pass. Guesses that a leak refutes are withdrawn until the
 * world is sealed, or leaks for another reason. */
static void seal_world(struct compile *compile, struct world *world, const int *structural)
{
    world->tree = build_world_tree(compile, structural, true);
    flood_world(compile, world, "flood");
    while (world->flood.leaks && compile->target->changed &&
           leak_guesses_withdraw(compile, world->tree)) {
        compile->target->changed(compile);
        tree_free(world->tree);
        world->tree = build_world_tree(compile, structural, true);
        flood_world(compile, world, "flood");
    }
}

/* Two passes: the first finds the visible sides, the second prefers them as splitters. */
static void shape_world(struct compile *compile, struct world *world)
{
    int *structural = compile_select_brushes(compile, 0, CONTENTS_DETAIL, false);
    seal_world(compile, world, structural);
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

static bool has_world(const struct compile *compile)
{
    if (arrlen(compile->entities[0].brushes))
        return true;
    return compile->target->open_worlds &&
           (arrlen(compile->displacement_brushes) || arrlen(compile->brushes));
}

static enum status check_world(const struct compile *compile)
{
    if (has_world(compile))
        return STATUS_OK;
    struct diag_where where =
        map_where(compile->level, compile->entities[0].map_entity, NULL, NULL);
    return diag_report(compile->env->diag, DIAG_NO_BRUSHES, &where,
                       "none of the world's solids can be compiled");
}

/* ---- the steps ---- */

struct job {
    /* Inputs. */
    const struct vbsp_options *options;
    struct assets *assets;
    const struct level *level;
    /* Made by the steps. */
    bool has_begun, is_complete;
    struct compile compile;
    struct world world;
    struct vbsp_output *out;
    bool leaks; /* the world, or with -leaktest an area */
};

/* Nothing but a pointfile is wanted of a map that leaks. */
static bool only_leaks(const struct job *job)
{
    return job->leaks && job->options->leak_test;
}

static enum status load_brushes(struct stage_run *run)
{
    struct job *job = run->work;
    struct compile *compile = &job->compile;
    progress_begin(run->env->progress, "brushes", 0);
    assets_hold_missing(job->assets);
    enum status status = pack_given_files(compile);
    if (status == STATUS_OK)
        status = load_map(compile);
    lint_missing_materials(compile);
    lint_brushes(compile);
    if (job->options->lint)
        lint_missing_models(compile);
    if (job->options->lint_entities && status == STATUS_OK)
        lint_loaded(compile);
    progress_end(run->env->progress);
    snap_coplanar_sides(compile);
    TRY(status);
    TRY(check_world(compile));
    TRY(env_go_on(run->env));
    return limits_check_loaded(compile, &job->out->limits);
}

static enum status build_world(struct stage_run *run)
{
    struct job *job = run->work;
    struct flood *flood = &job->world.flood;
    shape_world(&job->compile, &job->world);
    job->leaks = flood->leaks;
    if (flood->leaks) {
        job->out->leak = flood->trail;
        flood->trail = NULL;
    }
    return STATUS_OK;
}

static enum status divide_areas(struct stage_run *run)
{
    struct job *job = run->work;
    if (!only_leaks(job))
        find_areas(&job->compile, &job->world, &job->out->area_leak);
    if (job->out->area_leak && job->options->leak_test)
        job->leaks = true;
    return env_go_on(run->env);
}

static enum status write_models(struct stage_run *run)
{
    struct job *job = run->work;
    struct compile *compile = &job->compile;
    struct tree *tree = job->world.tree;
    if (!limits_allow_nodes(compile, tree_count_nodes(tree->root, !job->options->no_prune))) {
        write_bare_tree(compile, &job->world);
        return STATUS_OK;
    }
    if (only_leaks(job))
        return STATUS_OK;
    finish_world(compile, &job->world, &job->out->prt);
    TRY(env_go_on(run->env));
    for (int i = 1; i < (int)arrlen(compile->entities); i++)
        if (compile->entities[i].model > 0)
            compile_brush_model(compile, i);
    return compile->target->finish(compile, tree, job->out);
}

static enum status judge_limits(struct stage_run *run)
{
    struct job *job = run->work;
    if (!only_leaks(job))
        TRY(limits_check(&job->compile, &job->out->limits));
    job->is_complete = !only_leaks(job);
    return job->leaks ? STATUS_LEAK : STATUS_OK;
}

static const struct stage_step steps[] = {
    {.run = load_brushes}, /* level -> brushes of entities */
    {.run = build_world},  /* the world's brushes -> tree, flood of its leaves */
    {.run = divide_areas}, /* areaportals -> areas */
    {.run = write_models}, /* per model: fragments -> tree -> portals -> faces -> records */
    {.run = judge_limits},
};

/* ---- before and after them ---- */

static enum status begin(struct stage_run *run)
{
    struct job *job = run->work;
    *job->out = (struct vbsp_output){0};
    TRY(compile_begin(&job->compile, run->env, job->options, job->assets, job->level));
    job->has_begun = true;
    return STATUS_OK;
}

static void end(struct stage_run *run)
{
    struct job *job = run->work;
    if (!job->has_begun)
        return;
    flood_free(&job->world.flood);
    tree_free(job->world.tree);
    if (job->is_complete)
        job->out->bsp = job->compile.bsp;
    else
        bsp_free(job->compile.bsp);
    compile_free(&job->compile);
}

const struct stage vbsp_stage = {
    .name = "vbsp",
    .options = vbsp_option_group,
    .reads_content = true,
    .result = &compile_cache_result,
    .begin = begin,
    .end = end,
    STAGE_STEPS(steps),
};

enum status vbsp_run(const struct env *env, const struct vbsp_options *options,
                     struct assets *assets, const struct level *level, struct compile_cache *cache,
                     struct vbsp_output *out)
{
    struct job job = {.options = options, .assets = assets, .level = level, .out = out};
    struct stage_run run = stage_run_of(&vbsp_stage, env, NULL, &job);
    run.result = cache;
    return stage_do(&run);
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
