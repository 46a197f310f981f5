/* What is wrong with a map though it compiles: told with the solid or entity and the place.
 * lint_assets.c has materials and models that are missing, lint_brushes.c solids that stand twice
 * in one place or almost on the grid. */
#ifndef VBSP_REPORT_LINT_H
#define VBSP_REPORT_LINT_H

#include "vbsp/context.h"

/* Reports the materials that assets_hold_missing held back (MATERIAL_MISSING), each with the number
 * of sides that have it and the first of them, or an entity that names it. */
void lint_missing_materials(const struct compile *compile);

/* Models that entities name and the game lacks (MODEL_MISSING), each once with the first entity;
 * those of prop_static and prop_detail are told where they are placed. Without a game none is
 * told. Reads the files: only with the option lint. */
void lint_missing_models(const struct compile *compile);

/* After load_map: BRUSH_TWICE, and BRUSH_OFF_GRID with the option lint. */
void lint_brushes(const struct compile *compile);

#endif
