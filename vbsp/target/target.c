#include "vbsp/target/target.h"

static const struct vbsp_target *const targets[] = {&vbsp_target_source, &vbsp_target_quake3};

const struct vbsp_target *vbsp_target_of(const struct bsp_format *format)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (targets[i]->family == format->family)
            return targets[i];
    return NULL;
}
