#include "common/geom/texel_coverage.h"
#include "common/core/portable_math.h"

#include <math.h>

/* A triangle that overlaps a square by less, in luxels, does not count: the filter weight of the
 * luxels beyond is no larger than that. */
#define MIN_OVERLAP 1e-3

/* The triangle lies between two parallel lines. */
struct slab {
    double normal[2], low, high;
    double min, max; /* of a square of side 1, from its first corner */
};

static int slabs_of(const double corners[3][2], struct slab slabs[3])
{
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const double *a = corners[i], *b = corners[(i + 1) % 3];
        double length = portable_hypot(b[0] - a[0], b[1] - a[1]);
        if (!(length > 1e-9))
            continue;
        struct slab *slab = &slabs[count++];
        double x = (a[1] - b[1]) / length, y = (b[0] - a[0]) / length;
        slab->normal[0] = x;
        slab->normal[1] = y;
        slab->low = slab->high = a[0] * x + a[1] * y;
        for (int k = 0; k < 3; k++) {
            slab->low = portable_fmin(slab->low, corners[k][0] * x + corners[k][1] * y);
            slab->high = portable_fmax(slab->high, corners[k][0] * x + corners[k][1] * y);
        }
        slab->min = portable_fmin(x, 0) + portable_fmin(y, 0);
        slab->max = portable_fmax(x, 0) + portable_fmax(y, 0);
    }
    return count;
}

static bool overlaps(const struct slab *slabs, int count, int s, int t)
{
    for (int i = 0; i < count; i++) {
        double at = s * slabs[i].normal[0] + t * slabs[i].normal[1];
        if (at + slabs[i].max < slabs[i].low + MIN_OVERLAP ||
            at + slabs[i].min > slabs[i].high - MIN_OVERLAP)
            return false;
    }
    return true;
}

struct bitmap {
    int width, height;
    uint64_t *bits;
};

static void set_texel(const struct bitmap *to, int s, int t)
{
    if (s >= 0 && t >= 0 && s < to->width && t < to->height)
        to->bits[(int64_t)t * texel_words(to->width) + s / 64] |= UINT64_C(1) << (s % 64);
}

/* The squares that a range of one coordinate overlaps; at least one, for a degenerate triangle. */
static void range_of(const double corners[3][2], int k, int luxels, int out[2])
{
    double low = portable_fmin(corners[0][k], portable_fmin(corners[1][k], corners[2][k]));
    double high = portable_fmax(corners[0][k], portable_fmax(corners[1][k], corners[2][k]));
    out[0] = (int)portable_fmin(portable_fmax(floor(low + MIN_OVERLAP), 0), luxels - 1);
    out[1] = (int)portable_fmin(portable_fmax(ceil(high - MIN_OVERLAP), out[0] + 1), luxels);
}

static void cover_triangle(const struct bitmap *to, const double corners[3][2])
{
    struct slab slabs[3];
    int count = slabs_of(corners, slabs), s[2], t[2];
    range_of(corners, 0, to->width, s);
    range_of(corners, 1, to->height, t);
    for (int j = t[0]; j < t[1]; j++)
        for (int i = s[0]; i < s[1]; i++)
            if (overlaps(slabs, count, i, j))
                for (int k = 0; k < 4; k++)
                    set_texel(to, i + k % 2, j + k / 2);
}

/* The texels around a coordinate; the same twice when it is exactly on one. */
static void beside(double at, int size, int out[2])
{
    double low = portable_fmin(portable_fmax(at, -2), size + 1.0);
    out[0] = (int)floor(low + MIN_OVERLAP);
    out[1] = (int)ceil(low - MIN_OVERLAP);
}

/* Covers the corners of a triangle without area. */
static void cover_corners(const struct bitmap *to, const double corners[3][2])
{
    for (int i = 0; i < 3; i++) {
        int s[2], t[2];
        beside(corners[i][0], to->width, s);
        beside(corners[i][1], to->height, t);
        for (int k = 0; k < 4; k++)
            set_texel(to, s[k % 2], t[k / 2]);
    }
}

void texel_coverage(const double corners[3][2], int width, int height, uint64_t *bits)
{
    const struct bitmap to = {width, height, bits};
    cover_triangle(&to, corners);
    cover_corners(&to, corners);
}
