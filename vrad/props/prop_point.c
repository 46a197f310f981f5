#include "vrad/props/prop_point.h"

#include "common/bsp/query.h"

/* A point is covered if more than this share of its rays hit the backs of solids... */
#define MAX_INSIDE 0.25
/* ... also when moved this far along its surface, in units. A point that only touches a floor gets
 * free. */
#define SIDE_STEP 0.5

void prop_point_place(const struct bsp *bsp, struct vec3 position, struct irradiance_point *point)
{
    const struct bsp_leaf *leaf = &bsp->leaves[bsp_leaf_at(bsp, 0, position)];
    point->position = position;
    point->cluster = leaf->cluster;
    point->viewer.area = leaf->area;
}

/* Returns false if the surface leaves no direction to move in. */
static bool step_aside(const struct bsp *bsp, struct vec3 away, struct irradiance_point *point)
{
    struct vec3 along = vec3_mad(away, point->normal, -vec3_dot(away, point->normal));
    if (vec3_length(along) < 0.25 * vec3_length(away))
        return false;
    prop_point_place(bsp, vec3_mad(point->position, vec3_normalize(along), SIDE_STEP), point);
    return true;
}

enum prop_point prop_point_light(const struct irradiance_sampler *sampler, const struct bsp *bsp,
                                 struct irradiance_point *point, struct point_irradiance *out)
{
    prop_point_place(bsp, vec3_mad(point->position, point->normal, SCENE_RAY_OFFSET), point);
    irradiance_at_point(sampler, point, NULL, out);
    if (out->inside <= MAX_INSIDE)
        return PROP_POINT_FREE;
    if (step_aside(bsp, out->away, point))
        irradiance_at_point(sampler, point, NULL, out);
    return out->inside <= MAX_INSIDE ? PROP_POINT_ASIDE : PROP_POINT_COVERED;
}
