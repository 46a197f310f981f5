/* Parts of static props: records from keys, shapes, leaves. */
#ifndef VBSP_SOURCE_PROPS_PROP_INTERNAL_H
#define VBSP_SOURCE_PROPS_PROP_INTERNAL_H

#include "common/assets/models/model.h"
#include "common/bsp/bsp.h"
#include "common/bsp/lumps/static_props.h"
#include "common/geom/transform.h"
#include "common/geom/vec.h"
#include "vbsp/context.h"

/* The visible extent of a model as convex bodies: one per mesh; without meshes its collision hulls,
 * else the box in the MDL. For a missing model a box of `reach` around its origin. Appends to *out;
 * free with hull_points_free. */
void prop_shape_of(const struct model *model, struct hull_points *out);
void prop_shape_box(const struct bounds *box, struct hull_points *out);

/* Adds the non-solid leaves of the world that the convex hull of the points penetrates, not only
 * touches. *leaves is an stb_ds array without duplicates, in descending order like Valve's. */
void prop_leaves_add(const struct bsp *bsp, const struct vec3 *points, size_t count,
                     int32_t **leaves);

#endif
