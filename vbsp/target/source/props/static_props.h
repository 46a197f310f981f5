/* prop_static: models that become records of the BSP. */
#ifndef VBSP_SOURCE_PROPS_STATIC_PROPS_H
#define VBSP_SOURCE_PROPS_STATIC_PROPS_H

#include "vbsp/context.h"

/* Places every prop_static of the map and adds the game lump. After the leaves are in the bsp.
 * Without such entities nothing is added. Reports models that are missing (PROP_MODEL_MISSING) or
 * not made to be static (PROP_NOT_STATIC), once each; props that reach into no open leaf
 * (PROP_OUTSIDE), keys that make no sense (PROP_KEY). Fails with PROP_LIMIT. */
NODISCARD enum status static_props_emit(struct compile *compile);

#endif
