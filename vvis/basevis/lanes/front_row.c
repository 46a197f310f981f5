/* Tests which portals are in front of and behind a portal, by their boxes: a row of base
 * visibility. */
#include "common/simd/lanes.h"
#include "vvis/basevis/flood.h"

/* The sides of planes that boxes are on: one bit per lane. */
struct box_sides {
    struct doubles_mask before, behind;
};

static inline struct box_sides sides(struct doubles distance, struct doubles reach)
{
    struct doubles over = doubles_all(VIS_EPSILON), under = doubles_all(-VIS_EPSILON);
    return (struct box_sides){doubles_less(over, doubles_add(distance, reach)),
                              doubles_less(doubles_sub(distance, reach), under)};
}

/* Tests the boxes of portals `at` and after against the plane of portal `one`. */
static inline struct box_sides sides_of_boxes(const struct portal_lanes *portals, size_t one,
                                              size_t at)
{
    const double *x = portals->plane[0], *y = portals->plane[1], *z = portals->plane[2];
    struct doubles a = doubles_all(x[one]), b = doubles_all(y[one]), c = doubles_all(z[one]);
    struct doubles distance = doubles_sub(
        doubles_dot(a, b, c, doubles_load(&portals->center[0][at]),
                    doubles_load(&portals->center[1][at]), doubles_load(&portals->center[2][at])),
        doubles_all(portals->plane[3][one]));
    struct doubles reach = doubles_dot(
        doubles_abs(a), doubles_abs(b), doubles_abs(c), doubles_load(&portals->half[0][at]),
        doubles_load(&portals->half[1][at]), doubles_load(&portals->half[2][at]));
    return sides(distance, reach);
}

/* Tests the box of portal `one` against the planes of portals `at` and after. */
static inline struct box_sides sides_of_planes(const struct portal_lanes *portals, size_t one,
                                               size_t at)
{
    struct doubles a = doubles_load(&portals->plane[0][at]),
                   b = doubles_load(&portals->plane[1][at]),
                   c = doubles_load(&portals->plane[2][at]);
    struct doubles distance = doubles_sub(doubles_dot(a, b, c, doubles_all(portals->center[0][one]),
                                                      doubles_all(portals->center[1][one]),
                                                      doubles_all(portals->center[2][one])),
                                          doubles_load(&portals->plane[3][at]));
    struct doubles reach = doubles_dot(
        doubles_abs(a), doubles_abs(b), doubles_abs(c), doubles_all(portals->half[0][one]),
        doubles_all(portals->half[1][one]), doubles_all(portals->half[2][one]));
    return sides(distance, reach);
}

/* Moves bit i to bit 2 i. */
static inline unsigned spread(unsigned bits)
{
    bits = (bits | bits << 4) & 0x0f0f;
    bits = (bits | bits << 2) & 0x3333;
    return (bits | bits << 1) & 0x5555;
}

/* Returns where windows must be tested. A box across an axial plane has points on both sides, so
 * axial planes need no test. */
static inline unsigned unsure_bits(const struct portal_lanes *portals, size_t one, size_t at,
                                   struct box_sides theirs, struct box_sides ours)
{
    struct doubles zero = doubles_all(0);
    struct doubles_mask slant = doubles_less(zero, doubles_all(portals->slant[one]));
    struct doubles_mask slants = doubles_less(zero, doubles_load(&portals->slant[at]));
    return doubles_bits(doubles_or(doubles_and(doubles_and(theirs.before, theirs.behind), slant),
                                   doubles_and(doubles_and(ours.before, ours.behind), slants)));
}

front_rows_function ISA(front_rows);
void ISA(front_rows)(const struct portal_lanes *portals, size_t pair, struct front_rows *out)
{
    for (size_t at = 0; at < portals->count; at += DOUBLES) {
        struct box_sides theirs = sides_of_boxes(portals, pair, at);
        struct box_sides ours = sides_of_planes(portals, pair, at);
        unsigned before = spread(doubles_bits(theirs.before)) * 3,
                 behind = spread(doubles_bits(theirs.behind)) * 3;
        unsigned reached = spread(doubles_bits(ours.behind)) | spread(doubles_bits(ours.before))
                                                                   << 1;
        size_t word = at / 32, shift = at % 32 * 2;
        if (!shift)
            out->rows[0][word] = out->rows[1][word] = out->unsure[word] = 0;
        out->rows[0][word] |= (uint64_t)(before & reached) << shift;
        out->rows[1][word] |= (uint64_t)(behind & reached) << shift;
        out->unsure[word] |= (uint64_t)(spread(unsure_bits(portals, pair, at, theirs, ours)) * 3)
                             << shift;
    }
}
