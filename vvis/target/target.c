#include "vvis/target/target.h"

#include "common/bsp/format.h"

const struct vis_target *vis_target_of(const struct bsp *bsp)
{
    bool quake3 = bsp->format && bsp->format->family == CONTAINER_IBSP;
    return quake3 ? &vis_quake3 : &vis_source;
}
