/* Views of a map from outside: from around it, and straight from above, north up. */
#ifndef RENDER_PICTURES_OVERVIEW_H
#define RENDER_PICTURES_OVERVIEW_H

#include "render/render.h"

/* Returns view `index` of `count` evenly spread ones that show all of the box, from outside and
 * above, at the same distance: the first from the south west, the others counterclockwise. */
struct scene_view turntable_view(const struct bounds *bounds, const struct render_options *options,
                                 int index, int count);

struct overview {
    struct scene_view view;
    double left, top; /* x and y of the map at the top left corner of the picture */
    double scale;     /* units of the map per pixel */
};

/* Returns the view from above of the box, for pictures of this size. It begins at the top of the
 * box, above which nothing is shown, and leaves `border` of the picture free at each edge. */
struct overview overview_of(const struct bounds *bounds, double border, int width, int height);

/* Returns the box around a map without its 3D skybox. */
struct bounds overview_bounds(const struct render *render);

#endif
