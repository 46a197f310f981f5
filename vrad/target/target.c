#include "vrad/target/target.h"

#include <string.h>

static const struct vrad_target *const targets[] = {&vrad_source, &vrad_quake3};

const struct vrad_target *vrad_target_of(enum container_family family)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (targets[i]->family == family)
            return targets[i];
    return NULL;
}

void vrad_report_inapplicable(const struct env *env, const struct vrad_options *options,
                              const struct vrad_target *target)
{
    for (size_t i = 0; i < target->inapplicable_count; i++) {
        const struct vrad_option *option = &target->inapplicable[i];
        const char *given = (const char *)options + option->offset;
        const char *otherwise = (const char *)&vrad_defaults + option->offset;
        if (memcmp(given, otherwise, option->size) != 0)
            diag_report(env->diag, DIAG_FOREIGN_OPTION, NULL, "%s does not apply to this map",
                        option->name);
    }
}
