/* SECONDARY_LANES spots at a time: what they give to a point, and at most to the points of a box.
 * The results are the same for every instruction set. */
#ifndef VRAD_SECONDARY_SECONDARY_LANES_H
#define VRAD_SECONDARY_SECONDARY_LANES_H

#include "common/simd/cpu_features.h"
#include "vrad/secondary/secondary_lights.h"

/* Whether rays are aimed at a spot from a point, or it is a surface like others: by the square of
 * the distance, how far before the spot's plane the point lies, and the squares of the spot. It
 * gives strength * along / square^1.5 straight ahead, which is to be more than strength / reach. */
static inline bool secondary_is_sampled(float square, float along, float near, float reach)
{
    float wide = along * reach;
    return along > 0 && square > near && wide * wide > square * square * square;
}

/* A point that takes light. */
struct secondary_point {
    float point[3], axis[SECONDARY_AXES][3];
    int axes; /* by whose cosine spots are weighed; 0: they count as straight ahead */
};

/* A box of points. */
struct secondary_box {
    float mins[3], maxs[3];
    float normal[3];
    bool flat; /* the points have this normal, and no other axis */
};

struct secondary_lane_ops {
    /* What each spot gives if nothing is in the way, to the axis that gets most; 0 where no ray is
     * aimed at it. */
    void (*gains)(const struct secondary_lanes *lanes, const struct secondary_point *eye,
                  float gain[SECONDARY_LANES]);
    /* No less than that for any point of the box. */
    void (*bounds)(const struct secondary_lanes *lanes, const struct secondary_box *extent,
                   float bound[SECONDARY_LANES]);
    /* Lanes whose reach holds some of the box, and before which some of it lies. */
    uint32_t (*near)(const struct secondary_lanes *lanes, const float mins[3], const float maxs[3]);
};

const struct secondary_lane_ops *secondary_lane_ops_of(enum simd_level level);

#endif
