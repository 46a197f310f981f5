#include "common/geom/plane.h"

enum plane_type plane_type(struct vec3 normal)
{
    for (int i = 0; i < 3; i++)
        if (fabs(normal.e[i]) == 1.0)
            return (enum plane_type)i;
    return (enum plane_type)(PLANE_ANY_X + vec3_major_axis(normal));
}

bool plane_from_points(struct vec3 a, struct vec3 b, struct vec3 c, struct plane *out)
{
    struct vec3 cross = vec3_cross(vec3_sub(a, b), vec3_sub(c, b));
    double length = vec3_length(cross);
    if (!(length > 0) || !isfinite(length))
        return false;
    out->normal = vec3_scale(cross, 1 / length);
    out->dist = vec3_dot(b, out->normal);
    return true;
}

bool plane_intersection(const struct plane *a, const struct plane *b, const struct plane *c,
                        struct vec3 *out)
{
    struct vec3 bc = vec3_cross(b->normal, c->normal);
    double volume = vec3_dot(a->normal, bc);
    if (fabs(volume) < 1e-9)
        return false;
    struct vec3 ca = vec3_cross(c->normal, a->normal), ab = vec3_cross(a->normal, b->normal);
    struct vec3 sum = vec3_scale(bc, a->dist);
    sum = vec3_mad(sum, ca, b->dist);
    sum = vec3_mad(sum, ab, c->dist);
    *out = vec3_scale(sum, 1 / volume);
    return true;
}
