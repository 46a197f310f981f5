/* Points on the mesh of a displacement. */
#ifndef VBSP_SOURCE_PROPS_DETAIL_GROUND_H
#define VBSP_SOURCE_PROPS_DETAIL_GROUND_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

struct detail_ground {
    const struct bsp_disp_vertex *vertices; /* of the displacement */
    int side;                               /* vertices per side */
    struct vec3 corners[4]; /* of the face, starting with the displacement's first */
};

/* False when the face does not have four corners, or its records are missing. */
bool detail_ground_of(const struct bsp *bsp, const struct bsp_face *face,
                      struct detail_ground *out);

double detail_ground_area(const struct detail_ground *ground); /* area of the flat face */

/* The point at fraction u along a row and v along a column, and the normal of its triangle. Returns
 * the alpha, 0 to 1. */
double detail_ground_at(const struct detail_ground *ground, double u, double v, struct vec3 *at,
                        struct vec3 *normal);

#endif
