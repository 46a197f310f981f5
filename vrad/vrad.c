#include "vrad/vrad.h"

#include "common/farm/farm.h"
#include "vrad/farm/light_job.h"
#include "vrad/resume/light_cache.h"
#include "vrad/resume/light_checkpoint.h"
#include "vrad/target/target.h"

const struct vrad_options vrad_defaults = {
    .bounce = 100,
    .smooth_degrees = 45,
    .chop = 4,
    .disp_chop = 8,
    .min_emission = 0.1,
    .sky_scale = 1,
    .scale = 1,
    .occlusion_radius = 64,
    .quake3 = {.gamma = 1,
               .brightness = 1,
               .saturation = 1,
               .compensate = 1,
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
               .dirt = {.depth = 128, .scale = 1, .gain = 1}}};

/* Alone, or with the other ranks. */
static enum status run(const struct env *env, const struct vrad_options *options,
                       struct vrad_session *session, struct assets *assets,
                       struct entity_reads *reads, struct bsp *bsp)
{
    enum status status;
    const struct light_job job = {options, session, assets, reads, bsp};
    if (farm_is_there(env) && light_job_run(env, &job, &status))
        return status;
    struct env alone = *env;
    alone.ranks = NULL;
    struct light_checkpoint *checkpoint = light_checkpoint_new(session, NULL);
    alone.journal = light_checkpoint_journal(checkpoint);
    status = vrad_target_light(&alone, options, assets, checkpoint, reads, bsp);
    light_checkpoint_free(checkpoint);
    return status;
}

enum status vrad_run_session(const struct env *env, const struct vrad_options *options,
                             struct vrad_session *session, struct assets *assets, struct bsp *bsp)
{
    if (!vrad_target_of(bsp))
        return diag_report(env->diag, DIAG_BSP_FORMAT, NULL,
                           "cannot compute lighting for this engine");
    struct light_cache cache;
    enum status status = STATUS_OK;
    if (!light_cache_use(&cache, env, options, session, assets, bsp)) {
        status = run(env, options, session, assets, cache.reads, bsp);
        if (status == STATUS_OK)
            light_cache_keep(&cache, bsp);
    }
    light_cache_free(&cache);
    return status;
}

void vrad_session_remove(const struct vrad_session *session)
{
    const struct resume_file file = {.env = session->env, .path = session->checkpoint};
    resume_file_remove(&file);
}

enum status vrad_run(const struct env *env, const struct vrad_options *options,
                     struct assets *assets, struct bsp *bsp)
{
    return vrad_run_session(env, options, NULL, assets, bsp);
}
