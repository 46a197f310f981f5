/* What a prop is made of: its keys as a record, its shape, the leaves that this reaches into. */
#ifndef VBSP_SOURCE_PROPS_PROP_INTERNAL_H
#define VBSP_SOURCE_PROPS_PROP_INTERNAL_H

#include "common/assets/models/model.h"
#include "common/bsp/bsp.h"
#include "common/bsp/lumps/static_props.h"
#include "common/geom/transform.h"
#include "common/geom/vec.h"
#include "vbsp/context.h"

/* The keys of a prop_static as a record: all but the model and the leaves. `wide_flags`: the record
 * holds more than eight flags, among them whether light is kept by texel. Reports keys that make no
 * sense (PROP_KEY). */
struct static_prop prop_of_keys(const struct compile *compile, const struct map_entity *entity,
                                const struct diag_where *where, bool wide_flags);

/* What of a model matters for where it can be seen, convex bodies around what it shows: one a mesh;
 * without meshes those that it collides with, then the box that the MDL names. Of a model that is
 * missing a box of `reach` around its origin. Appends to *out; free with hull_points_free. */
void prop_shape_of(const struct model *model, struct hull_points *out);
void prop_shape_box(const struct bounds *box, struct hull_points *out);

/* Adds the leaves of the world that the convex body around the points meets by more than a touch,
 * but no solid ones. *leaves is an stb_ds array, in descending order and without repeats, as
 * Valve's tools list them. */
void prop_leaves_add(const struct bsp *bsp, const struct vec3 *points, size_t count,
                     int32_t **leaves);

#endif
