#include "vrad/secondary/hot_lanes.h"

#include <float.h>
#include <math.h>

#include "common/simd/cpu_features.h"

#define INLINE static inline __attribute__((always_inline))

/* The greatest cosine with the axes, times the distance; 0 where the point looks away from all. */
INLINE void face_lanes(const struct hot_lanes *restrict lanes, const struct hot_eye *eye,
                       float *restrict facing)
{
    const float *at = eye->point;
    for (int i = 0; i < HOT_LANES; i++)
        facing[i] = 0;
    for (int j = 0; j < eye->axes; j++) {
        const float *axis = eye->axis[j];
        for (int i = 0; i < HOT_LANES; i++) {
            float x = at[0] - lanes->center[0][i], y = at[1] - lanes->center[1][i];
            float z = at[2] - lanes->center[2][i], best = facing[i];
            float along = -(x * axis[0] + y * axis[1] + z * axis[2]);
            facing[i] = along > best ? along : best;
        }
    }
}

/* By whose cosine spots are weighed: few have more than one axis. */
enum facing { FACING_AHEAD, FACING_ONE, FACING_SEVERAL };

/* One long loop over the lanes: short ones are unrolled before they are vectorised, badly. */
INLINE void weigh(const struct hot_lanes *restrict lanes, const struct hot_eye *eye,
                  enum facing kind, const float *restrict best, float *restrict gain)
{
    const float *at = eye->point, *axis = eye->axis[0];
    for (int i = 0; i < HOT_LANES; i++) {
        float x = at[0] - lanes->center[0][i], y = at[1] - lanes->center[1][i];
        float z = at[2] - lanes->center[2][i], square = x * x + y * y + z * z;
        float along = x * lanes->normal[0][i] + y * lanes->normal[1][i] + z * lanes->normal[2][i];
        float facing = kind == FACING_AHEAD ? sqrtf(square)
                       : kind == FACING_ONE ? -(x * axis[0] + y * axis[1] + z * axis[2])
                                            : best[i];
        float squared = square * square, wide = along * lanes->reach[i];
        float given = lanes->strength[i] * along * facing / (squared + FLT_MIN);
        given = facing > 0 ? given : 0;
        given = along > 0 ? given : 0;
        given = square > lanes->near[i] ? given : 0;
        gain[i] = wide * wide > squared * square ? given : 0;
    }
}

INLINE void find_gains(const struct hot_lanes *lanes, const struct hot_eye *eye,
                       float gain[HOT_LANES])
{
    float facing[HOT_LANES] = {0};
    if (eye->axes == 0) {
        weigh(lanes, eye, FACING_AHEAD, facing, gain);
    } else if (eye->axes == 1) {
        weigh(lanes, eye, FACING_ONE, facing, gain);
    } else {
        face_lanes(lanes, eye, facing);
        weigh(lanes, eye, FACING_SEVERAL, facing, gain);
    }
}

/* By axis how far a box lies from the spots at least and at most, and before them at most. */
struct lane_spans {
    float least[HOT_LANES], most[HOT_LANES], ahead[HOT_LANES];
};

INLINE void find_spans(const struct hot_lanes *lanes, const float mins[3], const float maxs[3],
                       struct lane_spans *out)
{
    for (int i = 0; i < HOT_LANES; i++)
        out->least[i] = out->most[i] = out->ahead[i] = 0;
    for (int k = 0; k < 3; k++) {
        const float low = mins[k], high = maxs[k];
        for (int i = 0; i < HOT_LANES; i++) {
            float below = low - lanes->center[k][i], above = high - lanes->center[k][i];
            float gap = below > -above ? below : -above, span = -below > above ? -below : above;
            float from = lanes->normal[k][i] * below, to = lanes->normal[k][i] * above;
            gap = gap > 0 ? gap : 0;
            out->least[i] += gap * gap;
            out->most[i] += span * span;
            out->ahead[i] += from > to ? from : to;
        }
    }
}

INLINE void find_bounds(const struct hot_lanes *lanes, const struct hot_extent *extent,
                        float bound[HOT_LANES])
{
    struct lane_spans spans;
    float square[HOT_LANES], facing[HOT_LANES] = {0};
    find_spans(lanes, extent->mins, extent->maxs, &spans);
    for (int i = 0; i < HOT_LANES; i++)
        square[i] = spans.least[i] > lanes->near[i] ? spans.least[i] : lanes->near[i];
    for (int k = 0; extent->flat && k < 3; k++) {
        const float normal = extent->normal[k];
        const float from = normal > 0 ? extent->mins[k] : extent->maxs[k];
        for (int i = 0; i < HOT_LANES; i++)
            facing[i] += normal * (lanes->center[k][i] - from);
    }
    for (int i = 0; !extent->flat && i < HOT_LANES; i++)
        facing[i] = sqrtf(square[i]);
    for (int i = 0; i < HOT_LANES; i++) {
        float ahead = spans.ahead[i], wide = ahead * lanes->reach[i];
        float given = lanes->strength[i] * ahead * facing[i] / (square[i] * square[i] + FLT_MIN);
        given = ahead > 0 ? given : 0;
        given = facing[i] > 0 ? given : 0;
        given = spans.most[i] > lanes->near[i] ? given : 0;
        bound[i] = wide * wide > square[i] * square[i] * square[i] ? given : 0;
    }
}

INLINE uint32_t find_near(const struct hot_lanes *lanes, const float mins[3], const float maxs[3])
{
    struct lane_spans spans;
    uint32_t found = 0;
    find_spans(lanes, mins, maxs, &spans);
    for (int i = 0; i < HOT_LANES; i++)
        found |= (uint32_t)(spans.least[i] < lanes->reach[i] && spans.ahead[i] > 0) << i;
    return found;
}

/* The same code once more for a set of instructions. */
#define LANE_WORK(suffix, attribute)                                                               \
    attribute static void gains_##suffix(const struct hot_lanes *lanes, const struct hot_eye *eye, \
                                         float gain[HOT_LANES])                                    \
    {                                                                                              \
        find_gains(lanes, eye, gain);                                                              \
    }                                                                                              \
    attribute static void bounds_##suffix(const struct hot_lanes *lanes,                           \
                                          const struct hot_extent *extent, float bound[HOT_LANES]) \
    {                                                                                              \
        find_bounds(lanes, extent, bound);                                                         \
    }                                                                                              \
    attribute static uint32_t near_##suffix(const struct hot_lanes *lanes, const float mins[3],    \
                                            const float maxs[3])                                   \
    {                                                                                              \
        return find_near(lanes, mins, maxs);                                                       \
    }                                                                                              \
    static const struct hot_lane_work work_##suffix = {gains_##suffix, bounds_##suffix,            \
                                                       near_##suffix};

LANE_WORK(plain, )

const struct hot_lane_work *hot_lane_work_plain(void)
{
    return &work_plain;
}

#ifdef __x86_64__

LANE_WORK(avx2, __attribute__((target("avx2"))))

const struct hot_lane_work *hot_lane_work(void)
{
    return simd_best() >= SIMD_AVX2 ? &work_avx2 : &work_plain;
}

#else

const struct hot_lane_work *hot_lane_work(void)
{
    return &work_plain;
}

#endif
