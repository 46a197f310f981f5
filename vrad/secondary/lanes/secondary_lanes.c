/* The lights of instant radiosity (Keller 1997): spots of surfaces that give light as they reflect
 * it. At the distance d, with the angles t of the spot's normal and r of the receiver's axis, the
 * gain is
 *
 *   strength cos t cos r / d^2 = strength (d cos t) (d cos r) / (d^2)^2,
 *
 * for spots farther than `near`, and where cos t / d^2 > 1 / reach: nearer ones vary too much
 * within their area, and weaker ones are left to plain rays. With u = 2^-24 and unit normals d^2 is
 * off by 5 u of it, each d cos by 4 u d, and the gain by 22 u strength / d^2 at most, to first
 * order. The bound over a box uses the same operations on the extremes of each factor, so its
 * rounding may put it as much below the gain of a corner. */
#include "vrad/secondary/secondary_lanes.h"

#include <assert.h>
#include <float.h>

#include "common/simd/lanes.h"

static_assert((int)SECONDARY_LANES == FLOATS, "spots are laid out for these lanes");

/* Offsets of a point from the centres of lights. */
struct offsets {
    struct floats x, y, z;
};

static inline struct offsets offsets_of(const struct secondary_lanes *lanes, const float point[3])
{
    return (struct offsets){floats_sub(floats_all(point[0]), floats_load(lanes->center[0])),
                            floats_sub(floats_all(point[1]), floats_load(lanes->center[1])),
                            floats_sub(floats_all(point[2]), floats_load(lanes->center[2]))};
}

/* The cosine with the axis, times the distance. */
static inline struct floats facing_axis(const struct offsets *from, const float axis[3])
{
    struct floats along = floats_dot(from->x, from->y, from->z, floats_all(axis[0]),
                                     floats_all(axis[1]), floats_all(axis[2]));
    return floats_sub(floats_all(0), along);
}

/* The maximum over the axes; 0 where the point faces away from all. Without axes: straight
 * ahead. */
static inline struct floats facing_of(const struct secondary_point *eye, const struct offsets *from,
                                      struct floats square)
{
    if (eye->axes == 0)
        return floats_sqrt(square);
    if (eye->axes == 1) /* most have one */
        return facing_axis(from, eye->axis[0]);
    struct floats best = floats_all(0);
    for (int j = 0; j < eye->axes; j++)
        best = floats_max(facing_axis(from, eye->axis[j]), best);
    return best;
}

/* The gain of lights at a squared distance and a height over their planes. */
static inline struct floats given(const struct secondary_lanes *lanes, struct floats square,
                                  struct floats along, struct floats facing, struct floats_mask far)
{
    struct floats zero = floats_all(0), squared = floats_mul(square, square);
    struct floats wide = floats_mul(along, floats_load(lanes->reach));
    struct floats light =
        floats_div(floats_mul(floats_mul(floats_load(lanes->strength), along), facing),
                   floats_add(squared, floats_all(FLT_MIN)));
    struct floats_mask is = floats_and(floats_less(zero, facing), floats_less(zero, along));
    struct floats_mask near = floats_less(floats_mul(squared, square), floats_mul(wide, wide));
    return floats_select(floats_and(floats_and(is, far), near), light, zero);
}

static void find_gains(const struct secondary_lanes *lanes, const struct secondary_point *eye,
                       float gain[SECONDARY_LANES])
{
    struct offsets from = offsets_of(lanes, eye->point);
    struct floats square = floats_dot(from.x, from.y, from.z, from.x, from.y, from.z);
    struct floats along = floats_dot(from.x, from.y, from.z, floats_load(lanes->normal[0]),
                                     floats_load(lanes->normal[1]), floats_load(lanes->normal[2]));
    struct floats_mask far = floats_less(floats_load(lanes->near), square);
    floats_store(gain, given(lanes, square, along, facing_of(eye, &from, square), far));
}

/* Minimum and maximum squared distance of a box from lights, and its maximum height over their
 * planes. */
struct spans {
    struct floats min, max, ahead;
};

static inline struct spans spans_of(const struct secondary_lanes *lanes, const float mins[3],
                                    const float maxs[3])
{
    struct floats zero = floats_all(0);
    struct spans spans = {zero, zero, zero};
    for (int k = 0; k < 3; k++) {
        struct floats center = floats_load(lanes->center[k]),
                      normal = floats_load(lanes->normal[k]);
        struct floats below = floats_sub(floats_all(mins[k]), center);
        struct floats above = floats_sub(floats_all(maxs[k]), center);
        struct floats gap = floats_max(floats_max(below, floats_sub(zero, above)), zero);
        struct floats span = floats_max(floats_sub(zero, below), above);
        spans.min = floats_add(spans.min, floats_mul(gap, gap));
        spans.max = floats_add(spans.max, floats_mul(span, span));
        spans.ahead = floats_add(spans.ahead,
                                 floats_max(floats_mul(normal, below), floats_mul(normal, above)));
    }
    return spans;
}

static void find_bounds(const struct secondary_lanes *lanes, const struct secondary_box *extent,
                        float bound[SECONDARY_LANES])
{
    struct spans spans = spans_of(lanes, extent->mins, extent->maxs);
    struct floats near = floats_load(lanes->near), facing = floats_all(0);
    struct floats square = floats_max(spans.min, near);
    for (int k = 0; extent->flat && k < 3; k++) {
        float normal = extent->normal[k], from = normal > 0 ? extent->mins[k] : extent->maxs[k];
        struct floats way = floats_sub(floats_load(lanes->center[k]), floats_all(from));
        facing = floats_add(facing, floats_mul(floats_all(normal), way));
    }
    if (!extent->flat)
        facing = floats_sqrt(square);
    floats_store(bound, given(lanes, square, spans.ahead, facing, floats_less(near, spans.max)));
}

static uint32_t find_near(const struct secondary_lanes *lanes, const float mins[3],
                          const float maxs[3])
{
    struct spans spans = spans_of(lanes, mins, maxs);
    return floats_less_bits(spans.min, floats_load(lanes->reach)) &
           floats_less_bits(floats_all(0), spans.ahead);
}

extern const struct secondary_lane_ops ISA(secondary_lane_ops);
const struct secondary_lane_ops ISA(secondary_lane_ops) = {find_gains, find_bounds, find_near};
