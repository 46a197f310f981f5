/* The ground of a displacement: where a point of its square lies. */
#ifndef VBSP_SOURCE_PROPS_DETAIL_GROUND_H
#define VBSP_SOURCE_PROPS_DETAIL_GROUND_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

struct detail_ground {
    const struct bsp_disp_vertex *vertices; /* of the displacement */
    int side;                               /* vertices a side */
    struct vec3 corners[4];                 /* of the face, from the displacement's first on */
};

/* False when the face is none with four corners, or its records are not there. */
bool detail_ground_of(const struct bsp *bsp, const struct bsp_face *face,
                      struct detail_ground *out);

double detail_ground_area(const struct detail_ground *ground); /* of the face, flat */

/* The point at part u of the way along a row and v of that along a column, and the normal of the
 * triangle there. Returns the alpha, 0 to 1. */
double detail_ground_at(const struct detail_ground *ground, double u, double v, struct vec3 *at,
                        struct vec3 *normal);

#endif
