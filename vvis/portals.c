#include "vvis/portals.h"

#include "common/core/array.h"
#include "common/core/parallel.h"
#include "vvis/isa.h"

enum { CHUNK = 64 }; /* portals: one is too little work to hand out */

/* A portal with less area than this is a flaw of its cutting: its plane is noise. */
#define AREA_MIN 1e-4

static size_t chunks_of(size_t count)
{
    return (count + CHUNK - 1) / CHUNK;
}

static bool usable(const struct prt_portal *portal, struct plane *plane)
{
    return portal->clusters[0] != portal->clusters[1] &&
           winding_area(portal->winding) >= AREA_MIN && winding_plane(portal->winding, plane);
}

static struct bounds bounds_of(const struct window *window)
{
    struct bounds bounds = bounds_empty();
    for (int i = 0; i < window->count; i++)
        bounds_add_point(&bounds, vec3(window->x[i], window->y[i], window->z[i]));
    return bounds;
}

/* Room for the planes of `owners`, of which owner i has counts[i]. */
static void plane_lanes_new(struct plane_lanes *out, int owners, const int *counts)
{
    out->first = memory_zalloc((size_t)owners + 1, sizeof *out->first);
    for (int i = 0; i < owners; i++)
        out->first[i + 1] =
            out->first[i] + (counts[i] + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
    size_t size = (size_t)out->first[owners];
    out->x = memory_aligned(4 * size, sizeof *out->x);
    out->y = out->x + size;
    out->z = out->y + size;
    out->dist = out->z + size;
    for (size_t i = 0; i < size; i++)
        out->dist[i] = -DBL_MAX;
}

static void plane_lanes_put(struct plane_lanes *lanes, int at, const struct plane *plane)
{
    lanes->x[at] = plane->normal.x;
    lanes->y[at] = plane->normal.y;
    lanes->z[at] = plane->normal.z;
    lanes->dist[at] = plane->dist;
}

static void plane_lanes_free(struct plane_lanes *lanes)
{
    memory_free(lanes->first);
    memory_free(lanes->x);
}

static void put_edges(struct portals *portals, int pair)
{
    const struct window *window = &portals->windows[2 * pair];
    int at = portals->edges.first[pair];
    for (int i = 0; i < window->count; i++) {
        int next = i + 1 < window->count ? i + 1 : 0;
        struct vec3 a = vec3(window->x[i], window->y[i], window->z[i]);
        struct vec3 b = vec3(window->x[next], window->y[next], window->z[next]);
        struct vec3 normal = portals->planes[2 * pair].normal;
        struct vec3 inward = vec3_normalize(vec3_cross(vec3_sub(b, a), normal));
        if (vec3_dot(inward, inward) > 0)
            plane_lanes_put(&portals->edges, at++, &(struct plane){inward, vec3_dot(inward, a)});
    }
}

static void put_some_edges(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct portals *portals = context;
    size_t end = (chunk + 1) * CHUNK, pairs = (size_t)portals->count / 2;
    for (size_t i = chunk * CHUNK; i < end && i < pairs; i++)
        put_edges(portals, (int)i);
}

static void fill_edges(int threads, struct portals *portals)
{
    int pairs = portals->count / 2;
    int *counts = memory_zalloc((size_t)pairs + 1, sizeof *counts);
    for (int i = 0; i < pairs; i++)
        counts[i] = portals->windows[2 * i].count;
    plane_lanes_new(&portals->edges, pairs, counts);
    parallel_for(threads, chunks_of((size_t)pairs), put_some_edges, portals);
    memory_free(counts);
}

static void fill_ways_out(struct portals *portals)
{
    int clusters = portals->cluster_count;
    int *counts = memory_zalloc((size_t)clusters + 1, sizeof *counts);
    for (int c = 0; c < clusters; c++)
        counts[c] = portals->first[c + 1] - portals->first[c];
    plane_lanes_new(&portals->ways_out, clusters, counts);
    for (int c = 0; c < clusters; c++)
        for (int i = 0; i < counts[c]; i++)
            plane_lanes_put(&portals->ways_out, portals->ways_out.first[c] + i,
                            &portals->planes[portals->leaving[portals->first[c] + i]]);
    memory_free(counts);
}

/* What is found of each portal of the file before those that are of use get their numbers. */
struct source {
    struct plane plane;
    bool usable;
};

struct build_job {
    const struct prt *prt;
    struct source *sources;
    int *of_pair;          /* portals of the file, by pair of ways */
    struct bounds *bounds; /* by pair of ways */
    struct portals *portals;
};

static void look_at_some(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct build_job *job = context;
    size_t end = (chunk + 1) * CHUNK, count = arrlenu(job->prt->portals);
    for (size_t i = chunk * CHUNK; i < end && i < count; i++)
        job->sources[i].usable = usable(&job->prt->portals[i], &job->sources[i].plane);
}

static void number(struct build_job *job)
{
    struct portals *portals = job->portals;
    for (size_t i = 0; i < arrlenu(job->prt->portals); i++) {
        if (!job->sources[i].usable) {
            portals->dropped++;
            continue;
        }
        job->of_pair[portals->count / 2] = (int)i;
        portals->count += 2;
    }
}

static void add(const struct build_job *job, size_t pair)
{
    struct portals *portals = job->portals;
    size_t even = 2 * pair, number = (size_t)job->of_pair[pair];
    const struct prt_portal *portal = &job->prt->portals[number];
    const struct plane *plane = &job->sources[number].plane;
    struct window *window = &portals->windows[even];
    window_from_winding(portal->winding, plane, window);
    window_reverse(window, &portals->windows[even + 1]);
    struct bounds bounds = bounds_of(window);
    portals->boxes[pair].center = bounds_center(&bounds);
    portals->boxes[pair].half = vec3_sub(bounds.maxs, bounds_center(&bounds));
    job->bounds[pair] = bounds;
    for (size_t way = 0; way < 2; way++) {
        portals->to[even + way] = portal->clusters[way];
        portals->planes[even + way] = way ? plane_flip(plane) : *plane;
    }
}

static void add_some(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct build_job *job = context;
    size_t end = (chunk + 1) * CHUNK, pairs = (size_t)job->portals->count / 2;
    for (size_t i = chunk * CHUNK; i < end && i < pairs; i++)
        add(job, i);
}

static void add_all(int threads, const struct prt *prt, struct portals *portals)
{
    size_t count = arrlenu(prt->portals);
    struct build_job job = {.prt = prt,
                            .sources = memory_zalloc(count, sizeof *job.sources),
                            .of_pair = memory_zalloc(count, sizeof *job.of_pair),
                            .bounds = memory_zalloc(count, sizeof *job.bounds),
                            .portals = portals};
    parallel_for(threads, chunks_of(count), look_at_some, &job);
    number(&job);
    parallel_for(threads, chunks_of((size_t)portals->count / 2), add_some, &job);
    for (int p = 0; p < portals->count; p++)
        bounds_add(&portals->reaches[portals->to[p]], &job.bounds[p / 2]);
    memory_free(job.sources);
    memory_free(job.of_pair);
    memory_free(job.bounds);
}

/* A counting sort by the cluster that is left, which keeps the portals' order. */
static void list_by_cluster(struct portals *portals)
{
    int *first = portals->first;
    for (int p = 0; p < portals->count; p++)
        first[portals->to[p ^ 1] + 1]++;
    for (int c = 0; c < portals->cluster_count; c++)
        first[c + 1] += first[c];
    int *next = memory_zalloc((size_t)portals->cluster_count + 1, sizeof *next);
    memcpy(next, first, (size_t)portals->cluster_count * sizeof *next);
    for (int p = 0; p < portals->count; p++)
        portals->leaving[next[portals->to[p ^ 1]]++] = p;
    memory_free(next);
}

static void fill_lanes(struct portals *portals)
{
    size_t count = (size_t)portals->count / 2;
    struct portal_lanes *lanes = &portals->lanes;
    lanes->count = (count + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
    double *next = memory_aligned(11 * lanes->count, sizeof *next);
    double **const arrays[] = {&lanes->center[0], &lanes->center[1], &lanes->center[2],
                               &lanes->half[0],   &lanes->half[1],   &lanes->half[2],
                               &lanes->plane[0],  &lanes->plane[1],  &lanes->plane[2],
                               &lanes->plane[3],  &lanes->slant};
    for (int i = 0; i < 11; i++, next += lanes->count)
        *arrays[i] = next;
    for (size_t i = 0; i < count; i++) {
        const struct plane *plane = &portals->planes[2 * i];
        for (int k = 0; k < 3; k++) {
            lanes->center[k][i] = portals->boxes[i].center.e[k];
            lanes->half[k][i] = portals->boxes[i].half.e[k];
            lanes->plane[k][i] = plane->normal.e[k];
        }
        lanes->plane[3][i] = plane->dist;
        lanes->slant[i] = plane_type(plane->normal) > PLANE_Z;
    }
}

/* Farther out than any portal, and so little that no sum of such overflows. */
#define NOWHERE 1e30

static void box_lanes_new(struct box_lanes *out, size_t count)
{
    size_t groups = (count + WINDOW_LANES - 1) / WINDOW_LANES;
    out->groups = memory_aligned(groups + 1, BOX_GROUP * sizeof *out->groups);
    for (size_t i = 0; i < groups * BOX_GROUP; i++)
        out->groups[i] = i / WINDOW_LANES % 2 ? -NOWHERE : NOWHERE;
}

/* Grows box number `at`. */
static void box_lanes_add(struct box_lanes *lanes, size_t at, const struct bounds *bounds)
{
    double *least = &lanes->groups[at / WINDOW_LANES * BOX_GROUP + at % WINDOW_LANES];
    for (int axis = 0; axis < 3; axis++, least += 2 * WINDOW_LANES) {
        double *most = least + WINDOW_LANES;
        *least = fmin(*least, bounds->mins.e[axis]);
        *most = fmax(*most, bounds->maxs.e[axis]);
    }
}

static void box_lanes_free(struct box_lanes *lanes)
{
    memory_free(lanes->groups);
}

static void fill_way_boxes(struct portals *portals)
{
    const int *slots = portals->ways_out.first;
    box_lanes_new(&portals->way_boxes, (size_t)slots[portals->cluster_count]);
    for (int c = 0; c < portals->cluster_count; c++)
        for (int i = portals->first[c]; i < portals->first[c + 1]; i++) {
            const struct box *box = &portals->boxes[portals->leaving[i] / 2];
            struct bounds bounds = {vec3_sub(box->center, box->half),
                                    vec3_add(box->center, box->half)};
            box_lanes_add(&portals->way_boxes, (size_t)(slots[c] + i - portals->first[c]), &bounds);
        }
}

static void fill_reaches(struct portals *portals)
{
    size_t clusters = (size_t)portals->cluster_count;
    portals->reach_boxes = memory_zalloc(clusters, sizeof *portals->reach_boxes);
    box_lanes_new(&portals->reach_lanes, clusters);
    box_lanes_new(&portals->eight_boxes, clusters / 8 + 1);
    box_lanes_new(&portals->word_boxes, clusters / 64 + 1);
    for (size_t c = 0; c < clusters; c++) {
        const struct bounds *reach = &portals->reaches[c];
        if (portals->first[c] == portals->first[c + 1])
            continue;
        struct vec3 center = bounds_center(reach);
        portals->reach_boxes[c] = (struct box){center, vec3_sub(reach->maxs, center)};
        box_lanes_add(&portals->reach_lanes, c, reach);
        box_lanes_add(&portals->eight_boxes, c / 8, reach);
        box_lanes_add(&portals->word_boxes, c / 64, reach);
    }
}

void portals_build_by(int threads, const struct prt *prt, struct portals *out)
{
    size_t pairs = arrlenu(prt->portals), clusters = (size_t)prt->cluster_count;
    *out = (struct portals){
        .cluster_count = prt->cluster_count,
        .isa = isa_best(),
        .to = memory_zalloc(2 * pairs, sizeof *out->to),
        .planes = memory_zalloc(2 * pairs, sizeof *out->planes),
        .boxes = memory_zalloc(pairs, sizeof *out->boxes),
        .windows = memory_aligned_room(2 * pairs, sizeof *out->windows),
        .reaches = memory_zalloc(clusters, sizeof *out->reaches),
        .first = memory_zalloc(clusters + 1, sizeof *out->first),
        .leaving = memory_zalloc(2 * pairs, sizeof *out->leaving),
    };
    for (size_t c = 0; c < clusters; c++)
        out->reaches[c] = bounds_empty();
    add_all(threads, prt, out);
    list_by_cluster(out);
    fill_lanes(out);
    fill_edges(threads, out);
    fill_ways_out(out);
    fill_way_boxes(out);
    fill_reaches(out);
}

void portals_build(const struct prt *prt, struct portals *out)
{
    portals_build_by(1, prt, out);
}

void portals_free(struct portals *portals)
{
    memory_free(portals->to);
    memory_free(portals->planes);
    memory_free(portals->boxes);
    memory_free(portals->windows);
    plane_lanes_free(&portals->edges);
    plane_lanes_free(&portals->ways_out);
    memory_free(portals->reaches);
    memory_free(portals->reach_boxes);
    box_lanes_free(&portals->way_boxes);
    box_lanes_free(&portals->reach_lanes);
    box_lanes_free(&portals->eight_boxes);
    box_lanes_free(&portals->word_boxes);
    memory_free(portals->lanes.center[0]);
    memory_free(portals->first);
    memory_free(portals->leaving);
    *portals = (struct portals){0};
}
