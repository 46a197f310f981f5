#include "vrad/props/prop_point.h"

#include "common/bsp/query.h"

/* A point is covered when more than this share of its rays see the backs of solids... */
#define MAX_INSIDE 0.25
/* ... also from so far, in units, along its surface. One that only touches a floor gets free. */
#define SIDE_STEP 0.5

static void place_point(const struct bsp *bsp, struct vec3 position, struct light_point *point)
{
    const struct bsp_leaf *leaf = &bsp->leaves[bsp_leaf_at(bsp, 0, position)];
    point->position = position;
    point->cluster = leaf->cluster;
    point->viewer.area = leaf->area;
}

/* False when there is no way along the surface to go. */
static bool step_aside(const struct bsp *bsp, struct vec3 away, struct light_point *point)
{
    struct vec3 along = vec3_mad(away, point->normal, -vec3_dot(away, point->normal));
    if (vec3_length(along) < 0.25 * vec3_length(away))
        return false;
    place_point(bsp, vec3_mad(point->position, vec3_normalize(along), SIDE_STEP), point);
    return true;
}

enum prop_point prop_point_light(const struct point_lighter *lighter, const struct bsp *bsp,
                                 struct light_point *point, struct point_light *out)
{
    place_point(bsp, vec3_mad(point->position, point->normal, SCENE_RAY_OFFSET), point);
    point_light_at(lighter, point, NULL, out);
    if (out->inside <= MAX_INSIDE)
        return PROP_POINT_FREE;
    if (step_aside(bsp, out->away, point))
        point_light_at(lighter, point, NULL, out);
    return out->inside <= MAX_INSIDE ? PROP_POINT_ASIDE : PROP_POINT_COVERED;
}
