/* Props: static props, and detail props, which are also scattered on faces. */
#ifndef VBSP_SOURCE_PROPS_PROPS_H
#define VBSP_SOURCE_PROPS_PROPS_H

#include "vbsp/context.h"

/* Writes the game lump of all prop_static entities, if any, after the leaves are in the bsp.
 * Reports models that are missing (PROP_MODEL_MISSING) or not static (PROP_NOT_STATIC), once each;
 * props in no open leaf (PROP_OUTSIDE), invalid keys (PROP_KEY). Fails with PROP_LIMIT. */
NODISCARD enum status static_props_emit(struct compile *compile);

/* Scatters the props of detail.vbsp (or the file named by worldspawn's `detailvbsp`) on faces whose
 * materials name a detail type, places prop_detail, detail_prop and prop_detail_sprite, and writes
 * the game lump, if any, after that of static props. After the faces and leaves are in the bsp,
 * while texinfo has the compile's numbers. Reports a missing detail.vbsp or detail type
 * (DETAIL_TYPE), displacements without records (DETAIL_BARE), too many props (DETAIL_LIMIT);
 * missing models as static_props_emit does. */
NODISCARD enum status detail_props_emit(struct compile *compile);

#endif
