/* Replaces the entities and static props, or all props, of an existing BSP. */
#ifndef VBSP_SOURCE_UPDATE_UPDATE_H
#define VBSP_SOURCE_UPDATE_UPDATE_H

#include "vbsp/context.h"

/* Functions of the target table. */
enum status source_update_entities(struct compile *compile, struct bsp *bsp);
enum status source_update_props(struct compile *compile, struct bsp *bsp);

#endif
