/* Replaces the entities and static props, or all props, of an existing BSP. */
#ifndef VBSP_SOURCE_UPDATE_UPDATE_H
#define VBSP_SOURCE_UPDATE_UPDATE_H

#include "vbsp/context.h"

/* Functions of the target table. */
enum status source_update_entities(struct compile *compile, struct bsp *bsp);
enum status source_update_props(struct compile *compile, struct bsp *bsp);

/* update_check.c: checks that a BSP matches a level as far as its entities need it. `compile` holds
 * the level after load_map, `bsp` is the existing one, with the entities `old`. Reports as
 * vbsp_update_entities does. */
NODISCARD enum status update_check(const struct compile *compile, const struct bsp *bsp,
                                   const struct entity_list *old);

#endif
