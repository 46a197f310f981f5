#include "vvis/target/target.h"
#include "common/bsp/engine.h"
#include "common/diag/codes/bsp_files.def"

#include "vvis/vvis.h"

static const struct vis_target *const targets[ENGINE_FAMILIES] = {
    [ENGINE_SOURCE] = &vis_source,
    [ENGINE_QUAKE3] = &vis_quake3,
};

const struct vis_target *vis_target_of(const struct bsp *bsp)
{
    const enum engine_family family = bsp->engine->family;
    return family < ENGINE_FAMILIES ? targets[family] : NULL;
}

enum status vis_target_find(const struct bsp *bsp, struct diag *diag, const struct vis_target **out)
{
    *out = vis_target_of(bsp);
    if (*out)
        return STATUS_OK;
    return diag_report(diag, DIAG_BSP_FORMAT, NULL, "cannot compute visibility for this engine");
}

enum status vis_radius_of(const struct env *env, const struct vvis_options *options,
                          const struct bsp *bsp, double *out)
{
    const struct vis_target *target;
    *out = options->radius_override;
    if (*out > 0)
        return STATUS_OK;
    TRY(vis_target_find(bsp, env->diag, &target));
    return target->find_radius(env, bsp, out);
}
