/* What of a model matters for where it can be seen: convex bodies around what it shows. */
#ifndef VBSP_PROP_SHAPE_H
#define VBSP_PROP_SHAPE_H

#include "common/assets/model.h"

/* Bodies of a model: one a mesh; without meshes those that it collides with, then the box that the
 * MDL names. Of a model that is missing a box of `reach` around its origin. Appends to *out; free
 * with hull_points_free. */
void prop_shape_of(const struct model *model, struct hull_points *out);
void prop_shape_box(const struct bounds *box, struct hull_points *out);

/* Where a point of a model stands when the model is placed: angles are pitch, yaw and roll in
 * degrees. */
struct prop_place {
    struct vec3 origin, axes[3]; /* where its x, y and z point, times the scale */
};

struct prop_place prop_place(struct vec3 origin, struct vec3 angles, double scale);
struct vec3 prop_place_point(const struct prop_place *place, struct vec3 point);

#endif
