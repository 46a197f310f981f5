/* Views of a map from around it. */
#ifndef RENDER_PICTURES_TURNTABLE_H
#define RENDER_PICTURES_TURNTABLE_H

#include "render/render.h"

/* Returns view `index` of `count` evenly spread ones that show all of the box, from outside and
 * above, at the same distance: the first from the south west, the others counterclockwise. */
struct scene_view turntable_view(const struct bounds *bounds, const struct render_options *options,
                                 int index, int count);

#endif
