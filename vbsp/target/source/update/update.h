/* What a BSP of an earlier compile gets of a source: its entities and static props, or its props.
 */
#ifndef VBSP_SOURCE_UPDATE_UPDATE_H
#define VBSP_SOURCE_UPDATE_UPDATE_H

#include "vbsp/context.h"

/* Functions of the target's table. */
enum status source_update_entities(struct compile *compile, struct bsp *bsp);
enum status source_update_props(struct compile *compile, struct bsp *bsp);

/* update_check.c: whether a BSP is that of a source, as far as its entities need it. `compile`
 * holds the source as load_map leaves it, `bsp` what was compiled before, with the entities `old`.
 * Reports as vbsp_update_entities says. */
NODISCARD enum status update_check(const struct compile *compile, const struct bsp *bsp,
                                   const struct entity_list *old);

#endif
