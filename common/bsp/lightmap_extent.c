#include "common/bsp/lightmap_extent.h"

#include <float.h>
#include <math.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"

/* The least and the greatest lightmap coordinate of a face, and how far rounding may move them. */
struct span {
    double low, high, rounding;
};

static struct span span_of(const struct bsp *bsp, const struct bsp_face *face, const float axis[4])
{
    struct span span = {HUGE_VAL, -HUGE_VAL, 0};
    for (int i = 0; i < face->edge_count; i++) {
        const float *p = bsp->vertices[bsp_face_vertex(bsp, face, i)].p;
        double at = (double)lightmap_coordinate(axis, p), terms = fabs((double)axis[3]);
        for (int k = 0; k < 3; k++)
            terms += fabs((double)p[k] * (double)axis[k]);
        span.low = at < span.low ? at : span.low;
        span.high = at > span.high ? at : span.high;
        span.rounding = terms > span.rounding ? terms : span.rounding;
    }
    span.rounding *= 4 * (double)FLT_EPSILON;
    return span;
}

/* True if the record reaches one luxel farther than the face needs on both sides of an axis. */
static bool is_wider(const struct bsp_face *face, int axis, const struct span *span)
{
    double low = (double)face->lightmap_mins[axis] + (double)LIGHTMAP_BORDER;
    double high = low + (double)face->lightmap_size[axis] - 2 * LIGHTMAP_BORDER;
    double slack = span->rounding;
    bool is_exact =
        face->lightmap_mins[axis] == floor(span->low) &&
        (double)face->lightmap_mins[axis] + face->lightmap_size[axis] == ceil(span->high);
    return !is_exact && low >= floor(span->low - slack) && low <= floor(span->low + slack) &&
           high >= ceil(span->high - slack) && high <= ceil(span->high + slack);
}

static bool has_border(const struct bsp *bsp, const struct bsp_face *face)
{
    if (face->texinfo < 0 || face->dispinfo >= 0 || face->edge_count < 3)
        return false;
    for (int axis = 0; axis < 2; axis++) {
        struct span span = span_of(bsp, face, bsp->texinfo[face->texinfo].lightmap[axis]);
        if (face->lightmap_size[axis] < 2 * LIGHTMAP_BORDER || !is_wider(face, axis, &span))
            return false;
    }
    return true;
}

struct lightmap_extent lightmap_extent_of(const struct bsp *bsp, const struct bsp_face *face)
{
    struct lightmap_extent extent = {.border = has_border(bsp, face) ? LIGHTMAP_BORDER : 0};
    for (int axis = 0; axis < 2; axis++) {
        extent.mins[axis] = face->lightmap_mins[axis] + extent.border;
        extent.size[axis] = face->lightmap_size[axis] - 2 * extent.border;
    }
    return extent;
}
