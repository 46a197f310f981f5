#include "view/pack/normals.h"

#include <math.h>

#include "common/core/array.h"
#include "scene/mesh/smooth_normals.h"

#define LONGEST 127.0

void view_normals_of(const float *positions, const uint32_t *list, size_t count,
                     float (*normals)[3][3])
{
    const float **corners = memory_alloc((count + 1) * sizeof *corners);
    float(*smooth)[3][3] = memory_alloc((count + 1) * sizeof *smooth);
    for (size_t i = 0; i < count; i++)
        corners[i] = positions + 9 * (size_t)list[i];
    smooth_normals_of(corners, count, smooth);
    for (size_t i = 0; i < count; i++)
        memcpy(normals[list[i]], smooth[i], sizeof *smooth);
    memory_free(smooth);
    memory_free(corners);
}

static double turned(double share, double other)
{
    return (1 - fabs(other)) * (share < 0 ? -1 : 1);
}

void view_normal_put(const float normal[3], struct bytes *out)
{
    double n[3] = {(double)normal[0], (double)normal[1], (double)normal[2]};
    double sum = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
    bool valid = isfinite(sum) && sum > 0;
    double u = valid ? n[0] / sum : 0, v = valid ? n[1] / sum : 0;
    bool below = valid && n[2] < 0;
    bytes_u8(out, (uint8_t)(int8_t)lround(LONGEST * (below ? turned(u, v) : u)));
    bytes_u8(out, (uint8_t)(int8_t)lround(LONGEST * (below ? turned(v, u) : v)));
}
