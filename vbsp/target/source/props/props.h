/* Models that become records of the BSP: static props, and detail props, which also grow on faces.
 */
#ifndef VBSP_SOURCE_PROPS_PROPS_H
#define VBSP_SOURCE_PROPS_PROPS_H

#include "vbsp/context.h"

/* Places every prop_static of the map and adds the game lump. After the leaves are in the bsp.
 * Without such entities nothing is added. Reports models that are missing (PROP_MODEL_MISSING) or
 * not made to be static (PROP_NOT_STATIC), once each; props that reach into no open leaf
 * (PROP_OUTSIDE), keys that make no sense (PROP_KEY). Fails with PROP_LIMIT. */
NODISCARD enum status static_props_emit(struct compile *compile);

/* Lets the kinds of detail.vbsp (or what worldspawn's `detailvbsp` names) grow on the faces
 * whose materials name a detail type, places prop_detail, detail_prop and prop_detail_sprite, and
 * adds the game lump, after that of static props. After the faces and leaves are in the bsp, while
 * texinfo has the compile's numbers. Without any nothing is added. Reports a missing detail.vbsp or
 * a type that it does not have (DETAIL_TYPE), displacements without records (DETAIL_BARE), too many
 * (DETAIL_LIMIT); models that are missing as static_props_emit does. */
NODISCARD enum status detail_props_emit(struct compile *compile);

#endif
