/* What is told of a compile: what is wrong with the map though it compiles, with the solid or
 * entity and the place, and the limits of the target against what was made, while it is still known
 * what was made of what. */
#ifndef VBSP_REPORT_REPORT_H
#define VBSP_REPORT_REPORT_H

#include "common/bsp/codec/limit_report.h"
#include "vbsp/context.h"

/* --- lint_assets.c --- */

/* Reports the materials that assets_hold_missing held back (MATERIAL_MISSING), each with the number
 * of sides that have it and the first of them, or an entity that names it. */
void lint_missing_materials(const struct compile *compile);

/* Models that entities name and the game lacks (MODEL_MISSING), each once with the first entity;
 * those of prop_static and prop_detail are told where they are placed. Without a game none is
 * told. Reads the files: only with the option lint. */
void lint_missing_models(const struct compile *compile);

/* lint_brushes.c, after load_map: BRUSH_TWICE, and BRUSH_OFF_GRID with the option lint. */
void lint_brushes(const struct compile *compile);

/* --- limits.c --- */

/* Once everything is in the bsp: reports each limit that is passed (BSP_LIMIT) with its use, the
 * maximum and what uses most of it, and fails. The report, with the parts of those limits, or of
 * all where the options ask for it, is put into *out; without a format nothing is checked. */
NODISCARD enum status limits_check(const struct compile *compile, struct limit_report *out);

#endif
