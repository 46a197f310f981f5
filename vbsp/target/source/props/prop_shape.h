/* What of a model matters for where it can be seen: convex bodies around what it shows. */
#ifndef VBSP_SOURCE_PROPS_PROP_SHAPE_H
#define VBSP_SOURCE_PROPS_PROP_SHAPE_H

#include "common/assets/models/model.h"
#include "common/geom/placing.h"

/* Bodies of a model: one a mesh; without meshes those that it collides with, then the box that the
 * MDL names. Of a model that is missing a box of `reach` around its origin. Appends to *out; free
 * with hull_points_free. */
void prop_shape_of(const struct model *model, struct hull_points *out);
void prop_shape_box(const struct bounds *box, struct hull_points *out);

#endif
