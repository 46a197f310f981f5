#include "vbsp/target/target.h"

const struct vbsp_target *vbsp_target_of(const struct bsp_format *format)
{
    return format->family == CONTAINER_IBSP ? &vbsp_target_quake3 : &vbsp_target_source;
}
