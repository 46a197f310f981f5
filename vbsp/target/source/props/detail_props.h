/* What grows on faces, and prop_detail: records of the game lump of detail props. */
#ifndef VBSP_SOURCE_PROPS_DETAIL_PROPS_H
#define VBSP_SOURCE_PROPS_DETAIL_PROPS_H

#include "vbsp/context.h"

/* Lets the kinds of detail.vbsp (or what worldspawn's `detailvbsp` names) grow on the faces
 * whose materials name a detail type, places prop_detail, detail_prop and prop_detail_sprite, and
 * adds the game lump, after that of static props. After the faces and leaves are in the bsp, while
 * texinfo has the compile's numbers. Without any nothing is added. Reports a missing detail.vbsp or
 * a type that it does not have (DETAIL_TYPE), displacements without records (DETAIL_BARE), too many
 * (DETAIL_LIMIT); models that are missing as static_props_emit does. */
NODISCARD enum status detail_props_emit(struct compile *compile);

#endif
