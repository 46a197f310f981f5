#include "common/geom/map_projection.h"
#include "common/core/portable_math.h"

/* A later direction must be closer by this much to be preferred. */
#define NEARER 1e-4

/* A normal whose horizontal part is below this is vertical. */
#define UPRIGHT 1e-6

/* In order of preference. */
static const struct map_base bases[] = {{2, 0, 1}, {0, 1, 2}, {1, 0, 2}};

const struct map_base *map_classic_base(struct vec3 normal)
{
    const struct map_base *best = &bases[0];
    for (size_t i = 1; i < sizeof bases / sizeof *bases; i++)
        if (fabs(normal.e[bases[i].towards]) > fabs(normal.e[best->towards]) + NEARER)
            best = &bases[i];
    return best;
}

void map_primitive_base(struct vec3 normal, struct vec3 *s, struct vec3 *t)
{
    double level = portable_hypot(normal.x, normal.y);
    *s = vec3(0, 1, 0);
    *t = vec3(normal.z < 0 ? -1 : 1, 0, 0);
    if (!(level > UPRIGHT))
        return;
    *s = vec3(-normal.y / level, normal.x / level, 0);
    *t = vec3(normal.z * normal.x / level, normal.z * normal.y / level, -level);
}
