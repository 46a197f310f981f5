/* Lines that are followed through the portals: the ways out of a cluster in the lanes. */
#include "common/simd/lanes.h"
#include "vvis/flow/flow_kernels.h"

static inline double lane_of(struct doubles a, int lane)
{
    double all[DOUBLES];
    doubles_store(all, a);
    return all[lane];
}

/* Whether the point is not nearer to the portal's edges than LINE_MARGIN, from inside. */
static inline bool inside(const struct plane_lanes *edges, int pair, struct vec3 point)
{
    struct doubles x = doubles_all(point.x), y = doubles_all(point.y), z = doubles_all(point.z);
    struct doubles margin = doubles_all(LINE_MARGIN);
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

/* How far along the line the planes from number `at` on are, where the line comes to their front;
 * behind `from` and beside the line: DBL_MAX. */
static inline struct doubles ways(const struct plane_lanes *planes, int at, const struct line *line,
                                  double from)
{
    struct doubles x = doubles_load(&planes->x[at]), y = doubles_load(&planes->y[at]),
                   z = doubles_load(&planes->z[at]);
    struct doubles slope = doubles_dot(x, y, z, doubles_all(line->along.x),
                                       doubles_all(line->along.y), doubles_all(line->along.z));
    struct doubles ahead =
        doubles_sub(doubles_load(&planes->dist[at]),
                    doubles_dot(x, y, z, doubles_all(line->origin.x), doubles_all(line->origin.y),
                                doubles_all(line->origin.z)));
    struct doubles way = doubles_div(ahead, slope);
    struct doubles_mask off = doubles_or(doubles_less(slope, doubles_all(LINE_SLOPE)),
                                         doubles_less(way, doubles_all(from - VIS_EPSILON)));
    return doubles_select(off, doubles_all(DBL_MAX), way);
}

/* The portal by which the line leaves a cluster that it entered at `from`, or -1. All clusters are
 * convex: it is one of the nearest. */
static int leave(const struct portals *portals, const struct line *line, int entered, double *from)
{
    int cluster = portals->to[entered], first = portals->ways_out.first[cluster];
    int slots = portals->ways_out.first[cluster + 1] - first;
    const int *leaving = &portals->leaving[portals->first[cluster]];
    double nearest = DBL_MAX;
    struct doubles at[LINE_WAYS / DOUBLES];
    slots = slots < LINE_WAYS ? slots : LINE_WAYS;
    for (int i = 0; i < slots; i += DOUBLES) {
        at[i / DOUBLES] = ways(&portals->ways_out, first + i, line, *from);
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
            double way = lane_of(at[i / DOUBLES], __builtin_ctz(near));
            if (p != (entered ^ 1) &&
                inside(&portals->edges, p / 2, vec3_mad(line->origin, line->along, way))) {
                *from = way;
                return p;
            }
        }
    }
    return -1;
}

line_walk_function ISA(line_walk);
int ISA(line_walk)(const struct portals *portals, const struct line *line, int p, int max,
                   int *path)
{
    double from = 0;
    int length = 0;
    while (p >= 0 && length < max) {
        path[length++] = portals->to[p];
        p = leave(portals, line, p, &from);
    }
    return length;
}
