/* Reports about a compile: problems of the map that do not prevent compiling, with solid or entity
 * and position, and the usage of the target's limits, while the origin of each object is still
 * known. */
#ifndef VBSP_REPORT_REPORT_H
#define VBSP_REPORT_REPORT_H

#include "common/bsp/codec/limit_report.h"
#include "vbsp/context.h"

/* --- lint.c --- */

/* Reports the missing materials collected since assets_hold_missing: in one message with their
 * number and the worst of them when there is no content to look in (MATERIAL_MISSING, or
 * QUAKE3_NO_GAME); else each with the number of sides that have it and the first of them, or an
 * entity that names it. */
void lint_missing_materials(const struct compile *compile);

/* Reports models that entities name and the game lacks (MODEL_MISSING), each once with the first
 * entity; those of prop_static and prop_detail are reported where they are placed. Does nothing
 * without a game. Reads the files: only with the option lint. */
void lint_missing_models(const struct compile *compile);

/* lint.c, after load_map: BRUSH_TWICE, and BRUSH_OFF_GRID with the option lint. */
void lint_brushes(const struct compile *compile);

/* --- limits.c --- */

/* Once the bsp is complete: reports each exceeded limit (BSP_LIMIT) with its use, the maximum and
 * the largest contributors, and fails. Stores the report in *out, with the contributors of those
 * limits, or of all if the options ask for it; without a format nothing is checked. */
NODISCARD enum status limits_check(const struct compile *compile, struct limit_report *out);

/* Reports what is exceeded among the uses of *out, as above. */
NODISCARD enum status limits_check_uses(const struct compile *compile, struct limit_report *out);

/* --- limits_early.c --- */

/* limits_check after load_map, for the limits that the loaded map decides: its brushes and models.
 */
NODISCARD enum status limits_check_loaded(const struct compile *compile, struct limit_report *out);

/* Returns true when the format can hold so many nodes, and leaves for them. */
bool limits_allow_nodes(const struct compile *compile, int64_t nodes);

#endif
