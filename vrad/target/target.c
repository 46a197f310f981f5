#include "vrad/target/target.h"

const struct vrad_target *vrad_target_of(const struct bsp *bsp)
{
    return bsp->family == CONTAINER_IBSP ? &vrad_quake3 : &vrad_source;
}
