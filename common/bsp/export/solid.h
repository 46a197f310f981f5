/* Internal: a brush as the sides that enclose its volume. */
#ifndef BSP_EXPORT_SOLID_H
#define BSP_EXPORT_SOLID_H

#include "common/bsp/bsp.h"
#include "common/geom/winding.h"

struct solid_side {
    int number; /* in bsp->brush_sides */
    struct plane plane;
    struct winding *winding;
};

struct solid {
    int count;
    struct solid_side *sides;
    struct bounds bounds;
};

/* Sides without an area are left out: those are bevels for collision. In the arena. Returns false
 * when the sides enclose nothing. */
bool solid_of_brush(const struct bsp *bsp, const struct bsp_brush *brush, struct arena *arena,
                    struct solid *out);

/* Returns a point inside. */
struct vec3 solid_middle(const struct solid *solid);

#endif
