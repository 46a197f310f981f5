/* Light entities of Quake 3 maps. The game has no use for those that nothing switches: once the map
 * is lit they leave the entity lump, and the notes on surfaces keep them for another run. */
#ifndef BSP_SIDECAR_BAKED_LIGHTS_H
#define BSP_SIDECAR_BAKED_LIGHTS_H

#include "common/text/entities.h"

/* Returns true for lights that nothing in the game refers to. */
bool entity_is_baked_light(const struct entity *entity);
/* Returns true if the world asks for its lights to stay in the entity lump (_keepLights). */
bool world_keeps_lights(const struct entity *world);

#endif
