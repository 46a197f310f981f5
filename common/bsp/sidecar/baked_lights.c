#include "common/bsp/sidecar/baked_lights.h"

/* Returns true for entities that emit light: light, and lightJunior for the light grid alone. */
static bool entity_is_light(const struct entity *entity)
{
    return entity_is(entity, "light") || entity_is(entity, "lightJunior");
}

bool entity_is_baked_light(const struct entity *entity)
{
    return entity_is_light(entity) && !entity_has(entity, "targetname");
}

bool world_keeps_lights(const struct entity *world)
{
    return entity_number(world, "_keepLights", 0) != 0;
}
