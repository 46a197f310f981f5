/* Whether a BSP is that of a source, as far as its entities need it. */
#ifndef VBSP_SOURCE_UPDATE_CHECK_H
#define VBSP_SOURCE_UPDATE_CHECK_H

#include "vbsp/compile.h"

/* `compile` holds the source as load_map leaves it, `bsp` what was compiled before, with the
 * entities `old`. Reports as update.h says. */
NODISCARD enum status update_check(const struct compile *compile, const struct bsp *bsp,
                                   const struct entity_list *old);

#endif
