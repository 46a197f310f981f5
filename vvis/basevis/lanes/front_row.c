/* Which portals lie before and behind one, by their boxes: a row of base visibility. */
#include "vvis/flow/lanes/isa_functions.h"
#include "vvis/graph/window_lanes.h"

/* On which sides of planes boxes are: a bit a lane. */
struct box_sides {
    struct lane_mask before, behind;
};

static inline struct box_sides sides(struct lanes distance, struct lanes reach)
{
    struct lanes over = lanes_all(VIS_EPSILON), under = lanes_all(-VIS_EPSILON);
    return (struct box_sides){lanes_less(over, lanes_add(distance, reach)),
                              lanes_less(lanes_sub(distance, reach), under)};
}

/* The boxes of portals `at` and after, against the plane of portal `one`. */
static inline struct box_sides sides_of_boxes(const struct portal_lanes *portals, size_t one,
                                              size_t at)
{
    const double *x = portals->plane[0], *y = portals->plane[1], *z = portals->plane[2];
    struct lanes a = lanes_all(x[one]), b = lanes_all(y[one]), c = lanes_all(z[one]);
    struct lanes distance = lanes_sub(lanes_dot(a, b, c, lanes_load(&portals->center[0][at]),
                                                lanes_load(&portals->center[1][at]),
                                                lanes_load(&portals->center[2][at])),
                                      lanes_all(portals->plane[3][one]));
    struct lanes reach =
        lanes_dot(lanes_abs(a), lanes_abs(b), lanes_abs(c), lanes_load(&portals->half[0][at]),
                  lanes_load(&portals->half[1][at]), lanes_load(&portals->half[2][at]));
    return sides(distance, reach);
}

/* The box of portal `one`, against the planes of portals `at` and after. */
static inline struct box_sides sides_of_planes(const struct portal_lanes *portals, size_t one,
                                               size_t at)
{
    struct lanes a = lanes_load(&portals->plane[0][at]), b = lanes_load(&portals->plane[1][at]),
                 c = lanes_load(&portals->plane[2][at]);
    struct lanes distance =
        lanes_sub(lanes_dot(a, b, c, lanes_all(portals->center[0][one]),
                            lanes_all(portals->center[1][one]), lanes_all(portals->center[2][one])),
                  lanes_load(&portals->plane[3][at]));
    struct lanes reach =
        lanes_dot(lanes_abs(a), lanes_abs(b), lanes_abs(c), lanes_all(portals->half[0][one]),
                  lanes_all(portals->half[1][one]), lanes_all(portals->half[2][one]));
    return sides(distance, reach);
}

/* Bit i goes to bit 2 i. */
static inline unsigned spread(unsigned bits)
{
    bits = (bits | bits << 4) & 0x0f0f;
    bits = (bits | bits << 2) & 0x3333;
    return (bits | bits << 1) & 0x5555;
}

/* Where windows have to be asked: a box across a plane along an axis has points on both sides. */
static inline unsigned unsure(const struct portal_lanes *portals, size_t one, size_t at,
                              struct box_sides theirs, struct box_sides ours)
{
    struct lanes zero = lanes_all(0);
    struct lane_mask slant = lanes_less(zero, lanes_all(portals->slant[one]));
    struct lane_mask slants = lanes_less(zero, lanes_load(&portals->slant[at]));
    return mask_bits(mask_or(mask_and(mask_and(theirs.before, theirs.behind), slant),
                             mask_and(mask_and(ours.before, ours.behind), slants)));
}

void ISA(front_rows)(const struct portal_lanes *portals, size_t pair, struct front_rows *out)
{
    for (size_t at = 0; at < portals->count; at += LANES) {
        struct box_sides theirs = sides_of_boxes(portals, pair, at);
        struct box_sides ours = sides_of_planes(portals, pair, at);
        unsigned before = spread(mask_bits(theirs.before)) * 3,
                 behind = spread(mask_bits(theirs.behind)) * 3;
        unsigned reached = spread(mask_bits(ours.behind)) | spread(mask_bits(ours.before)) << 1;
        size_t word = at / 32, shift = at % 32 * 2;
        if (!shift)
            out->ways[0][word] = out->ways[1][word] = out->unsure[word] = 0;
        out->ways[0][word] |= (uint64_t)(before & reached) << shift;
        out->ways[1][word] |= (uint64_t)(behind & reached) << shift;
        out->unsure[word] |= (uint64_t)(spread(unsure(portals, pair, at, theirs, ours)) * 3)
                             << shift;
    }
}
