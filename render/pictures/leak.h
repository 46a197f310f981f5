/* Pictures of leaks. */
#ifndef RENDER_PICTURES_LEAK_H
#define RENDER_PICTURES_LEAK_H

#include "common/diag/diag.h"
#include "render/render.h"
#include "scene/images/canvas.h"

/* Draws a leak as the message about it (LEAK) describes it, in the size of the map's options: from
 * the inside towards the hole, with the way out, the hole framed and the solids beside it tinted
 * and numbered; and an overview from above. Without a hole, from the entity along the way out. Free
 * the pixels by memory_free. */
struct canvas leak_draw(const struct render *render, const struct diag_entry *leak);

#endif
