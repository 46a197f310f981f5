/* Light entities of Quake 3 maps. The game has no use for those that nothing switches: they leave
 * the entity lump when the notes on surfaces are written, which keep them for the light stage, as
 * those of q3map2 do, whose light stage reads the map again. */
#ifndef BSP_SIDECAR_BAKED_LIGHTS_H
#define BSP_SIDECAR_BAKED_LIGHTS_H

#include "common/bsp/bsp.h"
#include "common/text/entities.h"

/* Returns true for lights that nothing in the game refers to. */
bool entity_is_baked_light(const struct entity *entity);
/* Returns true if the world asks for its lights to stay in the entity lump (_keepLights). */
bool world_keeps_lights(const struct entity *world);

/* Entity text of the baked lights of the bsp, none if the world keeps them, and of all others. */
NODISCARD enum status baked_lights_split(const struct bsp *bsp, struct diag *diag,
                                         struct bytes *lights, struct bytes *rest);
/* Takes the baked lights out of the bsp, unless the world keeps them. */
NODISCARD enum status baked_lights_drop(struct bsp *bsp, struct diag *diag);
/* Returns true if the lights of the map that was compiled to the bsp may be elsewhere: it has none
 * that would have left it. */
NODISCARD enum status baked_lights_are_gone(const struct bsp *bsp, struct diag *diag, bool *out);
/* Entity text of the lights in a map's source, without those with a name that the bsp has. */
NODISCARD enum status baked_lights_of_map(const char *map, size_t size, const char *name,
                                          const struct bsp *bsp, struct diag *diag,
                                          struct bytes *out, size_t *count);

#endif
