#include "vrad/vrad.h"

#include <string.h>

#include "common/assets/assets_lookups.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/codes/bsp_files.def"
#include "common/farm/farm.h"
#include "common/text/entity_view.h"
#include "vrad/farm/light_inputs.h"
#include "vrad/farm/light_job.h"
#include "vrad/luxels/sample_options.h"
#include "vrad/props/prop_ray_options.h"
#include "vrad/resume/light_cache.h"
#include "vrad/resume/light_checkpoint.h"
#include "vrad/scene/prop_scene_options.h"
#include "vrad/store/light_store.h"
#include "vrad/target/quake3/level/dirt_options.h"
#include "vrad/target/quake3/pages/tone_options.h"
#include "vrad/target/target.h"

const struct sample_options sample_defaults = {0};
const struct prop_ray_options prop_ray_defaults = {0};
const struct prop_scene_options prop_scene_defaults = {0};
const struct dirt_options dirt_defaults = {.depth = 128, .scale = 1, .gain = 1};

const struct vrad_options vrad_defaults = {.bounce = 100,
                                           .smooth_degrees = 45,
                                           .chop = 4,
                                           .disp_chop = 8,
                                           .min_emission = 0.1,
                                           .sky_scale = 1,
                                           .scale = 1,
                                           .occlusion_radius = 64,
                                           .samples = &sample_defaults,
                                           .prop_rays = &prop_ray_defaults,
                                           .prop_scene = &prop_scene_defaults,
                                           .quake3 = {.tone = &tone_defaults,
                                                      .point_scale = 1,
                                                      .spherical_scale = 1,
                                                      .spot_scale = 1,
                                                      .area_scale = 1,
                                                      .backsplash = {1, -1},
                                                      .vertex_scale = 1,
                                                      .grid_scale = 1,
                                                      .grid_ambient_scale = 1,
                                                      .grid_directionality = 1,
                                                      .grid_ambient_directionality = 1,
                                                      .sample_scale = 1,
                                                      .vertex_level = VERTEX_LIT,
                                                      .bounce_scale = 1,
                                                      .bounce_colour = 1,
                                                      .dirt = &dirt_defaults}};

struct job {
    struct light_work work; /* with its own environment and content where ranks share them */
    const struct vrad_target *target;
    struct assets *assets; /* of who runs the stage; or NULL */
    char *hidden;          /* the text of the entities while the map is lit, if is_hidden */
    bool is_hidden;
    struct light_cache cache;
    struct light_job ranks;
    struct env env; /* of work */
};

/* ---- the steps ---- */

/* While a map is lit its text has no entities: whoever reads some gets them from the view. */
static enum status read_entities(struct stage_run *run)
{
    struct job *job = run->work;
    struct bsp *bsp = job->work.bsp;
    TRY(entity_view_parse(bsp->entities, arrlenu(bsp->entities), "entities", run->env->diag,
                          &job->work.entities));
    entity_view_watch(job->work.entities, job->cache.reads);
    job->hidden = bsp->entities;
    job->is_hidden = true;
    bsp->entities = NULL;
    job->work.own = memory_zalloc(1, job->target->size);
    return STATUS_OK;
}

static enum status build_scene(struct stage_run *run)
{
    struct job *job = run->work;
    return job->target->scene(&job->work);
}

static enum status lay_out_luxels(struct stage_run *run)
{
    struct job *job = run->work;
    return job->target->luxels(&job->work);
}

/* Ranks share what they compute already. */
static void open_store(struct stage_run *run)
{
    struct job *job = run->work;
    unsigned char scene[SHA256_SIZE];
    if (!job->env.ranks && light_cache_scene(run, scene))
        job->work.store = light_store_new(run->env->cache, scene);
}

static enum status light(struct stage_run *run)
{
    struct job *job = run->work;
    open_store(run);
    TRY(job->target->light(&job->work));
    light_store_keep(job->work.store);
    farm_count(&job->env);
    return STATUS_OK;
}

static const struct stage_step steps[] = {
    {.run = read_entities},  /* entity lump -> view of it */
    {.run = build_scene},    /* content, entities -> all that blocks and emits light */
    {.run = lay_out_luxels}, /* surfaces -> places of luxels */
    {.run = light},          /* for each set of lights: direct, bounces, points, lightmaps */
};

/* ---- before and after them ---- */

static enum status check(struct stage_run *run)
{
    struct job *job = run->work;
    job->target = vrad_target_of(job->work.bsp);
    if (job->target)
        return STATUS_OK;
    return diag_report(run->env->diag, DIAG_BSP_FORMAT, NULL,
                       "cannot compute lighting for this engine");
}

/* On rank 0: the other ranks get the inputs. One that cannot read them leaves the map to rank 0. */
static enum status send_inputs(const struct stage_run *run, bool *is_shared)
{
    const struct job *job = run->work;
    const struct vrad_session *session = job->cache.session;
    const struct bsp_format *format = job->work.bsp->format;
    struct bytes inputs = {0};
    if (!format && session)
        format = session->format;
    enum status status = light_inputs_write(run->env, job->work.options, job->ranks.opened_with,
                                            format, job->work.bsp, &inputs);
    if (status == STATUS_OK)
        farm_begin(run->env, run->stage->name, &inputs);
    bytes_free(&inputs);
    *is_shared = status == STATUS_OK && light_job_agree(run->env, true);
    return status;
}

static enum status begin(struct stage_run *run)
{
    struct job *job = run->work;
    bool is_shared = farm_is_there(run->env);
    if (is_shared && ranks_rank(run->env->ranks) == 0)
        TRY(send_inputs(run, &is_shared));
    job->env = *run->env;
    job->env.ranks = is_shared ? run->env->ranks : NULL;
    job->work.env = &job->env;
    job->work.assets = job->assets;
    job->work.checkpoint = light_checkpoint_new(run, job->env.ranks);
    job->env.journal = light_checkpoint_journal(job->work.checkpoint);
    if (is_shared)
        return light_job_begin(&job->ranks, &job->work, &job->env);
    return STATUS_OK;
}

/* Puts the entities back, with what the light has changed of them. */
static void end_entities(struct job *job, bool is_changed)
{
    struct bsp *bsp = job->work.bsp;
    struct bytes lump = {0};
    if (job->is_hidden)
        bsp->entities = job->hidden;
    if (!is_changed)
        return;
    entity_view_format(job->work.entities, &lump);
    arrsetlen(bsp->entities, lump.size);
    memcpy(bsp->entities, lump.data, lump.size);
    bytes_free(&lump);
}

static void end(struct stage_run *run)
{
    struct job *job = run->work;
    if (job->work.own)
        job->target->free(&job->work);
    memory_free(job->work.own);
    end_entities(job, job->is_hidden && entity_view_is_changed(job->work.entities));
    entity_view_free(job->work.entities);
    light_store_free(job->work.store);
    light_job_end(&job->ranks, run->env);
    light_checkpoint_free(job->work.checkpoint);
}

const struct stage vrad_stage = {
    .name = "vrad",
    .options = vrad_option_group,
    .reads_content = true,
    .checkpoint = ".vradcheckpoint",
    .checkpoint_kind = "vrad-checkpoint",
    .result = &light_cache_result,
    .check = check,
    .begin = begin,
    .end = end,
    STAGE_STEPS(steps),
};

/* ---- all ---- */

enum status vrad_run(const struct env *env, const struct vrad_options *options,
                     struct vrad_session *session, struct assets *assets, struct bsp *bsp)
{
    struct job job = {
        .work = {.options = options, .bsp = bsp},
        .assets = assets,
        .ranks.opened_with = assets ? assets_opened_with(assets) : NULL,
        .cache = {.options = options,
                  .session = session,
                  .bsp = bsp,
                  .assets = assets,
                  .is_shared = farm_is_there(env)},
    };
    struct stage_run run = stage_run_of(&vrad_stage, env, session ? &session->stage : NULL, &job);
    run.result = &job.cache;
    enum status status = stage_do(&run);
    light_cache_free(&job.cache);
    return status;
}

void vrad_work(const struct env *env, struct byte_reader *from)
{
    struct light_inputs inputs;
    enum status status = light_inputs_read(from, env->diag, &inputs);
    const bool is_ready = status == STATUS_OK && vrad_target_of(inputs.bsp);
    if (light_job_agree(env, is_ready)) {
        struct stage_session none = {0};
        struct job job = {
            .work = {.options = &inputs.options, .bsp = inputs.bsp},
            .target = vrad_target_of(inputs.bsp),
            .ranks.opened_with = inputs.has_assets ? &inputs.assets : NULL,
        };
        struct stage_run run = stage_run_of(&vrad_stage, env, &none, &job);
        (void)!stage_do_steps(&run); /* rank 0 knows as well how it ended */
    }
    light_inputs_free(&inputs);
}
