#include "vvis/report/trace.h"

#include "common/core/array.h"
#include "common/core/random.h"
#include "common/diag/codes/visibility.def"
#include "common/farm/farm.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/flow.h"
#include "vvis/graph/clusters.h"
#include "vvis/target/target.h"

/* For a single pair: far more than a pair of a whole map gets. */
enum { LINES = 4096, ARRIVAL_LINES = 256, CHAINS_MAX = 1 << 24 };

/* Minimum distance of a line from a portal's edges to convince people. */
#define MARGIN 0.02

struct tracer {
    const struct env *env;
    const struct portals *portals;
    struct bit_rows rows;
    int a, b;
};

/* A mean of the corners weighted with cubes of random numbers: sometimes near a corner,
 * sometimes near an edge, sometimes in the middle. Number 0 is the centre. */
static struct vec3 point_of(const struct window *window, uint64_t item, int number)
{
    struct vec3 sum = vec3(0, 0, 0);
    double total = 0;
    for (int i = 0; i < window->count; i++) {
        double weight = number ? random_unit(hash_pair(item, (uint64_t)number), (uint64_t)i) : 1;
        weight = weight * weight * weight;
        sum = vec3_mad(sum, window_point(window, i), weight);
        total += weight;
    }
    return total > 0 ? vec3_scale(sum, 1 / total) : window_point(window, 0);
}

static bool inside(const struct portals *portals, int p, struct vec3 point)
{
    const struct plane_lanes *edges = &portals->edges;
    for (int i = edges->first[p / 2]; i < edges->first[p / 2 + 1]; i++)
        if (edges->x[i] * point.x + edges->y[i] * point.y + edges->z[i] * point.z - edges->dist[i] <
            MARGIN)
            return false;
    return true;
}

/* Returns the portal by which the line leaves the cluster behind portal p, after the fraction
 * *at of its length, or -1. */
static int find_exit(const struct portals *portals, const struct vis_trace *line, int p, double *at)
{
    struct vec3 along = vec3_sub(line->to, line->from);
    for (int i = portals->first[portals->to[p]]; i < portals->first[portals->to[p] + 1]; i++) {
        int q = portals->leaving[i];
        double slope = vec3_dot(portals->planes[q].normal, along);
        if (slope <= 0 || q == (p ^ 1))
            continue;
        double there = -plane_distance(&portals->planes[q], line->from) / slope;
        if (there < *at || !inside(portals, q, vec3_mad(line->from, along, there)))
            continue;
        *at = there;
        return q;
    }
    return -1;
}

/* Returns whether the line, which starts on portal p, reaches the cluster. */
static bool reaches_cluster(const struct portals *portals, const struct vis_trace *line, int p,
                            int cluster)
{
    double at = 0;
    struct vec3 along = vec3_sub(line->to, line->from);
    if (vec3_dot(portals->planes[p].normal, along) <= 0)
        return false;
    for (int steps = 0; p >= 0 && steps < portals->count; steps++) {
        if (portals->to[p] == cluster)
            return true;
        p = find_exit(portals, line, p, &at);
    }
    return false;
}

/* Tries line `number` from portal p, which leaves a, to portal q, which leaves b. */
static bool try_line(const struct tracer *tracer, int p, int q, int number, struct vis_trace *out)
{
    const struct portals *portals = tracer->portals;
    if (!bit_get(bit_row(&tracer->rows, (size_t)p), (size_t)q ^ 1))
        return false;
    out->from = point_of(&portals->windows[p], hash_pair((uint64_t)p, (uint64_t)q), number);
    out->to = point_of(&portals->windows[q], hash_pair((uint64_t)q, (uint64_t)p), number);
    return reaches_cluster(portals, out, p, tracer->b);
}

/* Tries lines between all pairs of portals in turn. */
static bool try_lines(const struct tracer *tracer, struct vis_trace *out)
{
    const struct portals *portals = tracer->portals;
    int pairs = (portals->first[tracer->a + 1] - portals->first[tracer->a]) *
                (portals->first[tracer->b + 1] - portals->first[tracer->b]);
    for (int number = 0; pairs && number < LINES / pairs + 1; number++)
        for (int i = portals->first[tracer->a]; i < portals->first[tracer->a + 1]; i++)
            for (int k = portals->first[tracer->b]; k < portals->first[tracer->b + 1]; k++)
                if (try_line(tracer, portals->leaving[i], portals->leaving[k], number, out))
                    return true;
    return false;
}

/* Tries lines along the path of a walk from cluster a to b, or back. */
static bool try_arrival(const struct tracer *tracer, const struct flow_arrival *arrival, bool back,
                        struct vis_trace *out)
{
    struct vis_trace line = {0};
    out->proven = false;
    for (int i = 0; i < ARRIVAL_LINES && !out->proven; i++) {
        line.from = point_of(&arrival->from, 1, i);
        line.to = point_of(&arrival->to, 2, i);
        out->proven =
            reaches_cluster(tracer->portals, &line, arrival->portal, back ? tracer->a : tracer->b);
    }
    out->from = back ? line.to : line.from;
    out->to = back ? line.from : line.to;
    return out->proven;
}

/* Walks from both sides, as for the pairs of a map. */
static bool walk_both_sides(const struct tracer *tracer, struct vis_trace *out)
{
    bool open = true;
    out->from = bounds_center(&tracer->portals->cluster_bounds[tracer->a]);
    out->to = bounds_center(&tracer->portals->cluster_bounds[tracer->b]);
    struct flow *flow = flow_new(tracer->portals, &tracer->rows);
    for (int side = 0; side < 2 && open; side++) {
        int from = side ? tracer->b : tracer->a, to = side ? tracer->a : tracer->b;
        struct flow_arrival arrival;
        enum flow_result result = flow_pair(flow, from, to, CHAINS_MAX, &arrival);
        open = result != FLOW_CULLED;
        out->over_budget |= result == FLOW_UNDECIDED;
        if (result == FLOW_ARRIVED && try_arrival(tracer, &arrival, side, out))
            break;
    }
    flow_free(flow);
    return open;
}

/* Returns whether the clusters share a portal, or are the same. */
static bool are_neighbours(const struct tracer *tracer, struct vis_trace *out)
{
    const struct portals *portals = tracer->portals;
    for (int i = portals->first[tracer->a]; i < portals->first[tracer->a + 1]; i++) {
        int p = portals->leaving[i];
        if (portals->to[p] != tracer->b && tracer->a != tracer->b)
            continue;
        out->from = bounds_center(&portals->cluster_bounds[tracer->a]);
        out->to = point_of(&portals->windows[p], 0, 0);
        return true;
    }
    return false;
}

static bool find_line(struct tracer *tracer, double radius, struct vis_trace *out)
{
    if (are_neighbours(tracer, out))
        return out->proven = true;
    tracer->rows = base_vis(tracer->env, tracer->portals, radius);
    out->proven = try_lines(tracer, out);
    bool seen = out->proven || walk_both_sides(tracer, out);
    memory_free(tracer->rows.data);
    return seen;
}

static enum status check_cluster(const struct env *env, const struct prt *prt, int cluster)
{
    if (cluster >= 0 && cluster < prt->cluster_count)
        return STATUS_OK;
    return diag_report(env->diag, DIAG_VIS_TRACE, NULL, "%d, must be 0 to %d", cluster,
                       prt->cluster_count - 1);
}

enum status vvis_trace(const struct env *env, const struct vvis_options *options,
                       const struct prt *prt, const struct bsp *bsp, int a, int b,
                       struct vis_trace *out)
{
    *out = (struct vis_trace){0};
    TRY(check_cluster(env, prt, a));
    TRY(check_cluster(env, prt, b));
    double radius;
    TRY(vis_radius_of(env, options, bsp, &radius));
    struct portals portals;
    portals_build(prt, &portals);
    const struct env alone = farm_alone(env);
    struct tracer tracer = {.env = &alone, .portals = &portals, .a = a, .b = b};
    bool seen = find_line(&tracer, radius, out);
    portals_free(&portals);
    if (seen)
        return STATUS_OK;
    return diag_report(env->diag, DIAG_VIS_UNSEEN, NULL, "clusters %d and %d", a, b);
}
