#include "vbsp/faces/gap.h"

/* Where a point lies on the edge exactly, pixels show through all the same, as the two sides are
 * rasterised along different lines: the width that counts for them, in units. */
#define RASTER_WIDTH (1.0 / 32)

struct gap gap_without(struct vec3 before, struct vec3 at, struct vec3 after)
{
    struct vec3 edge = vec3_sub(after, before), off = vec3_sub(at, before);
    struct vec3 line = vec3_normalize(edge);
    struct gap gap = {.length = vec3_length(edge)};
    gap.off = vec3_length(vec3_mad(off, line, -vec3_dot(off, line)));
    gap.seen = (gap.off / 2 + RASTER_WIDTH) * gap.length;
    return gap;
}
