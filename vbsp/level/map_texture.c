#include "vbsp/level/map_texture.h"

#include <math.h>

#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "common/geom/map_projection.h"

/* Quarter turns are exact: they are the most frequent, and keep coordinates on the grid. */
static void turn(double degrees, double *cosine, double *sine)
{
    static const double quarter_cosines[] = {1, 0, -1, 0}, quarter_sines[] = {0, 1, 0, -1};
    double quarters = fmod(degrees / 90, 4);
    if (quarters < 0)
        quarters += 4;
    int whole = (int)quarters;
    if (fabs(quarters - whole) > 0) {
        *cosine = portable_cos(degrees / 180 * PI);
        *sine = portable_sin(degrees / 180 * PI);
    } else {
        *cosine = quarter_cosines[whole & 3];
        *sine = quarter_sines[whole & 3];
    }
}

static double scale_or_one(double scale)
{
    return fabs(scale) > 0 ? scale : 1;
}

void map_axes_classic(struct vec3 normal, const struct map_classic_mapping *mapping,
                      struct map_side *out)
{
    const struct map_base *base = map_classic_base(normal);
    double c, s;
    turn(mapping->rotate, &c, &s);
    out->u = (struct map_texture_axis){.shift = mapping->shift[0],
                                       .scale = scale_or_one(mapping->scale[0])};
    out->v = (struct map_texture_axis){.shift = mapping->shift[1],
                                       .scale = scale_or_one(mapping->scale[1])};
    out->u.axis.e[base->u] = c;
    out->u.axis.e[base->v] = s;
    out->v.axis.e[base->u] = s;
    out->v.axis.e[base->v] = -c;
    out->mapped_in_images = false;
}

void map_axes_primitive(struct vec3 normal, const double rows[2][3], struct map_side *out)
{
    struct vec3 s, t;
    map_primitive_base(normal, &s, &t);
    struct map_texture_axis *axes[2] = {&out->u, &out->v};
    for (int i = 0; i < 2; i++)
        *axes[i] = (struct map_texture_axis){
            .axis = vec3_add(vec3_scale(s, rows[i][0]), vec3_scale(t, rows[i][1])),
            .shift = rows[i][2],
            .scale = 1,
        };
    out->mapped_in_images = true;
}

void map_axes_default(struct vec3 normal, struct map_side *out)
{
    const struct map_classic_mapping plain = {.scale = {MAP_DEFAULT_SCALE, MAP_DEFAULT_SCALE}};
    map_axes_classic(normal, &plain, out);
}
