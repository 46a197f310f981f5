/* Views of a map straight from above, north up. */
#ifndef RENDER_PICTURES_OVERVIEW_H
#define RENDER_PICTURES_OVERVIEW_H

#include "render/render.h"

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
