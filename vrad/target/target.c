#include "vrad/target/target.h"
#include "common/bsp/engine.h"
#include "common/diag/codes/light_options.def"

#include <string.h>

static const struct vrad_target *const targets[ENGINE_FAMILIES] = {
    [ENGINE_SOURCE] = &vrad_source,
    [ENGINE_QUAKE3] = &vrad_quake3,
};

const struct vrad_target *vrad_target_of(const struct bsp *bsp)
{
    const enum engine_family family = bsp->engine->family;
    return family < ENGINE_FAMILIES ? targets[family] : NULL;
}

void vrad_report_inapplicable(const struct env *env, const struct vrad_options *options,
                              const struct vrad_target *target)
{
    for (size_t i = 0; i < target->inapplicable_count; i++) {
        const struct vrad_option *option = &target->inapplicable[i];
        const struct option_def field = {.part = option->part, .offset = option->offset};
        if (memcmp(option_field(&field, options), option_field(&field, &vrad_defaults),
                   option->size) != 0)
            diag_report(env->diag, DIAG_FOREIGN_OPTION, NULL, "%s does not apply to this map",
                        option->name);
    }
}
