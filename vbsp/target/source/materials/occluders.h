/* Occluders: polygons that hide what is drawn behind them. */
#ifndef VBSP_SOURCE_MATERIALS_OCCLUDERS_H
#define VBSP_SOURCE_MATERIALS_OCCLUDERS_H

#include "vbsp/compile.h"

/* Gives the entities of occluders their keys: occludernumber, and a model that is none. */
void occluders_number(struct compile *compile);

/* Writes occluders, their polygons and vertices to the bsp: the drawn sides of all their brushes,
 * without what lies in another of them. An occluder belongs to the area in which most of it stands.
 * One without polygons is reported and written empty. After the records of all models; `world`
 * still has its areas. */
void occluders_emit(struct compile *compile, const struct tree *world);

#endif
