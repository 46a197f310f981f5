/* Evaluates SECONDARY_LANES lights at a time: their gain at a point, and its bound for the points
 * of a box. The results are the same for every instruction set. */
#ifndef VRAD_SECONDARY_SECONDARY_LANES_H
#define VRAD_SECONDARY_SECONDARY_LANES_H

#include "common/simd/cpu_features.h"
#include "vrad/secondary/secondary_lights.h"

/* Decides between next-event estimation (true) and plain rays for a light, by the squared distance,
 * the height of the point over the light's plane, and the light's squared limits. The gain straight
 * ahead, strength * along / square^1.5, must exceed strength / reach. */
static inline bool secondary_is_sampled(float square, float along, float near, float reach)
{
    float wide = along * reach;
    return along > 0 && square > near && wide * wide > square * square * square;
}

/* A point that receives light. */
struct secondary_point {
    float point[3], axis[SECONDARY_AXES][3];
    int axes; /* that weigh the light by their cosine; 0: always straight ahead */
};

/* A box of receiving points. */
struct secondary_box {
    float mins[3], maxs[3];
    float normal[3];
    bool flat; /* all points have this one normal */
};

struct secondary_lane_ops {
    /* Unoccluded contribution of each light to the axis that gets most; 0 where the light is not
     * sampled. */
    void (*gains)(const struct secondary_lanes *lanes, const struct secondary_point *eye,
                  float gain[SECONDARY_LANES]);
    /* An upper bound of the gain for all points of the box. */
    void (*bounds)(const struct secondary_lanes *lanes, const struct secondary_box *extent,
                   float bound[SECONDARY_LANES]);
    /* The lanes in whose reach, and in front of which, a part of the box lies. */
    uint32_t (*near)(const struct secondary_lanes *lanes, const float mins[3], const float maxs[3]);
};

const struct secondary_lane_ops *secondary_lane_ops_of(enum simd_level level);

#endif
