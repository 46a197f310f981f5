/* Traces sightlines through the portals: tests the exits of a cluster in SIMD lanes. */
#include "common/simd/lanes.h"
#include "vvis/flow/flow_kernels.h"

static inline double lane_of(struct doubles a, int lane)
{
    double all[DOUBLES];
    doubles_store(all, a);
    return all[lane];
}

/* Returns whether the point is inside the portal, at least SIGHTLINE_MARGIN from its edges. */
static inline bool inside(const struct plane_lanes *edges, int pair, struct vec3 point)
{
    struct doubles x = doubles_all(point.x), y = doubles_all(point.y), z = doubles_all(point.z);
    struct doubles margin = doubles_all(SIGHTLINE_MARGIN);
    for (int i = edges->first[pair]; i < edges->first[pair + 1]; i += DOUBLES) {
        struct doubles distance =
            doubles_sub(doubles_dot(doubles_load(&edges->x[i]), doubles_load(&edges->y[i]),
                                    doubles_load(&edges->z[i]), x, y, z),
                        doubles_load(&edges->dist[i]));
        if (doubles_bits(doubles_less(distance, margin)))
            return false;
    }
    return true;
}

/* Returns the distances along the line to the planes from `at` on, where the line passes to
 * their front; DBL_MAX for planes behind `from` or missed. */
static inline struct doubles distances_to_planes(const struct plane_lanes *planes, int at,
                                                 const struct sightline *line, double from)
{
    struct doubles x = doubles_load(&planes->x[at]), y = doubles_load(&planes->y[at]),
                   z = doubles_load(&planes->z[at]);
    struct doubles slope = doubles_dot(x, y, z, doubles_all(line->along.x),
                                       doubles_all(line->along.y), doubles_all(line->along.z));
    struct doubles ahead =
        doubles_sub(doubles_load(&planes->dist[at]),
                    doubles_dot(x, y, z, doubles_all(line->origin.x), doubles_all(line->origin.y),
                                doubles_all(line->origin.z)));
    struct doubles distance = doubles_div(ahead, slope);
    struct doubles_mask off = doubles_or(doubles_less(slope, doubles_all(SIGHTLINE_SLOPE)),
                                         doubles_less(distance, doubles_all(from - VIS_EPSILON)));
    return doubles_select(off, doubles_all(DBL_MAX), distance);
}

/* Returns the portal by which the line leaves a cluster that it entered at `from`, or -1.
 * Clusters are convex: it is one of the nearest. */
static int find_exit(const struct portals *portals, const struct sightline *line, int entered,
                     double *from)
{
    int cluster = portals->to[entered], first = portals->exit_planes.first[cluster];
    int slots = portals->exit_planes.first[cluster + 1] - first;
    const int *leaving = &portals->leaving[portals->first[cluster]];
    double nearest = DBL_MAX;
    struct doubles at[SIGHTLINE_EXITS / DOUBLES];
    slots = slots < SIGHTLINE_EXITS ? slots : SIGHTLINE_EXITS;
    for (int i = 0; i < slots; i += DOUBLES) {
        at[i / DOUBLES] = distances_to_planes(&portals->exit_planes, first + i, line, *from);
        double min = doubles_reduce_min(at[i / DOUBLES]);
        nearest = min < nearest ? min : nearest;
    }
    if (nearest == DBL_MAX)
        return -1;
    struct doubles max = doubles_all(nearest + VIS_EPSILON);
    for (int i = 0; i < slots; i += DOUBLES) {
        lane_bits near = doubles_bits(doubles_less(at[i / DOUBLES], max));
        for (; near; near &= near - 1) {
            int p = leaving[i + __builtin_ctz(near)];
            double distance = lane_of(at[i / DOUBLES], __builtin_ctz(near));
            if (p != (entered ^ 1) &&
                inside(&portals->edges, p / 2, vec3_mad(line->origin, line->along, distance))) {
                *from = distance;
                return p;
            }
        }
    }
    return -1;
}

sightline_walk_function ISA(sightline_walk);
int ISA(sightline_walk)(const struct portals *portals, const struct sightline *line, int p, int max,
                        int *path)
{
    double from = 0;
    int length = 0;
    while (p >= 0 && length < max) {
        path[length++] = portals->to[p];
        p = find_exit(portals, line, p, &from);
    }
    return length;
}
