#include "vvis/target/target.h"

const struct vis_target *vis_target_of(const struct bsp *bsp)
{
    return bsp->family == CONTAINER_IBSP ? &vis_quake3 : &vis_source;
}
