/* Lines that are followed through the portals: the ways out of a cluster in the lanes. */
#include "vvis/flow/lanes/isa_functions.h"
#include "vvis/flow/lanes/lanes.h"

static inline double lane_of(struct lanes a, int lane)
{
    double all[LANES];
    lanes_store(all, a);
    return all[lane];
}

/* Whether the point is not nearer to the portal's edges than LINE_MARGIN, from inside. */
static inline bool inside(const struct plane_lanes *edges, int pair, struct vec3 point)
{
    struct lanes x = lanes_all(point.x), y = lanes_all(point.y), z = lanes_all(point.z);
    struct lanes margin = lanes_all(LINE_MARGIN);
    for (int i = edges->first[pair]; i < edges->first[pair + 1]; i += LANES) {
        struct lanes distance =
            lanes_sub(lanes_dot(lanes_load(&edges->x[i]), lanes_load(&edges->y[i]),
                                lanes_load(&edges->z[i]), x, y, z),
                      lanes_load(&edges->dist[i]));
        if (mask_bits(lanes_less(distance, margin)))
            return false;
    }
    return true;
}

/* How far along the line the planes from number `at` on are, where the line comes to their front;
 * behind `from` and beside the line: DBL_MAX. */
static inline struct lanes ways(const struct plane_lanes *planes, int at, const struct line *line,
                                double from)
{
    struct lanes x = lanes_load(&planes->x[at]), y = lanes_load(&planes->y[at]),
                 z = lanes_load(&planes->z[at]);
    struct lanes slope = lanes_dot(x, y, z, lanes_all(line->along.x), lanes_all(line->along.y),
                                   lanes_all(line->along.z));
    struct lanes ahead = lanes_sub(lanes_load(&planes->dist[at]),
                                   lanes_dot(x, y, z, lanes_all(line->origin.x),
                                             lanes_all(line->origin.y), lanes_all(line->origin.z)));
    struct lanes way = lanes_div(ahead, slope);
    struct lane_mask off = mask_or(lanes_less(slope, lanes_all(LINE_SLOPE)),
                                   lanes_less(way, lanes_all(from - VIS_EPSILON)));
    return lanes_select(off, lanes_all(DBL_MAX), way);
}

/* The portal by which the line leaves a cluster that it entered at `from`, or -1. All clusters are
 * convex: it is one of the nearest. */
static int leave(const struct portals *portals, const struct line *line, int entered, double *from)
{
    int cluster = portals->to[entered], first = portals->ways_out.first[cluster];
    int slots = portals->ways_out.first[cluster + 1] - first;
    const int *leaving = &portals->leaving[portals->first[cluster]];
    double nearest = DBL_MAX;
    struct lanes at[LINE_WAYS / LANES];
    slots = slots < LINE_WAYS ? slots : LINE_WAYS;
    for (int i = 0; i < slots; i += LANES) {
        at[i / LANES] = ways(&portals->ways_out, first + i, line, *from);
        double least = lanes_least(at[i / LANES]);
        nearest = least < nearest ? least : nearest;
    }
    if (nearest == DBL_MAX)
        return -1;
    struct lanes most = lanes_all(nearest + VIS_EPSILON);
    for (int i = 0; i < slots; i += LANES) {
        lane_bits near = mask_bits(lanes_less(at[i / LANES], most));
        for (; near; near &= near - 1) {
            int p = leaving[i + __builtin_ctz(near)];
            double way = lane_of(at[i / LANES], __builtin_ctz(near));
            if (p != (entered ^ 1) &&
                inside(&portals->edges, p / 2, vec3_mad(line->origin, line->along, way))) {
                *from = way;
                return p;
            }
        }
    }
    return -1;
}

int ISA(line_walk)(const struct portals *portals, const struct line *line, int p, int most,
                   int *path)
{
    double from = 0;
    int length = 0;
    while (p >= 0 && length < most) {
        path[length++] = portals->to[p];
        p = leave(portals, line, p, &from);
    }
    return length;
}
