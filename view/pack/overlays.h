/* Overlays: pictures that lie on faces. */
#ifndef VIEW_PACK_OVERLAYS_H
#define VIEW_PACK_OVERLAYS_H

#include "common/bsp/overlay_records.h"
#include "scene/scene.h"

/* Of a triangle that is cut by another. */
enum { OVERLAY_CORNERS = 6 };

struct overlay_corner {
    double weights[3]; /* of the corners of the triangle of the mesh */
    double uv[2];
};

/* The part of an overlay on a triangle of the mesh: a convex polygon that turns as the triangle
 * does. */
struct overlay_piece {
    int count;
    struct overlay_corner corners[OVERLAY_CORNERS];
};

/* Half of an overlay's rectangle: 0 or 1. */
enum { OVERLAY_HALVES = 2 };

/* Cuts half of an overlay from a triangle of the mesh. Returns false when nothing is left. */
bool overlay_piece_cut(const struct map_scene *scene, const struct bsp_overlay *overlay, int half,
                       uint32_t triangle, struct overlay_piece *out);

#endif
