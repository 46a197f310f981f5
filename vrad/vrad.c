#include "vrad/vrad.h"

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
    .quake3 = {.gamma = 1, .point_scale = 1, .area_scale = 1}};

enum status vrad_run_session(const struct env *env, const struct vrad_options *options,
                             struct vrad_session *session, struct assets *assets, struct bsp *bsp)
{
    const struct vrad_target *target = vrad_target_of(bsp->family);
    if (!target)
        return diag_report(env->diag, DIAG_BSP_FORMAT, NULL,
                           "cannot compute lighting for this engine");
    struct light_checkpoint *checkpoint = light_checkpoint_new(session);
    enum status status = target->light(env, options, assets, checkpoint, bsp);
    light_checkpoint_free(checkpoint);
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
