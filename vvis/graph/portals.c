#include "vvis/graph/portals.h"

#include "common/core/array.h"
#include "common/parallel/parallel.h"

enum { CHUNK = 64 }; /* portals, or clusters of a word: one is too little work to hand out */

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
        bounds_add_point(&bounds, window_point(window, i));
    return bounds;
}

/* Room for the planes of `owners`, of which owner i has counts[i]. Who puts an owner's planes there
 * fills up its place. */
static void plane_lanes_new(struct plane_lanes *out, int owners, const int *counts)
{
    out->first = memory_zalloc((size_t)owners + 1, sizeof *out->first);
    for (int i = 0; i < owners; i++)
        out->first[i + 1] =
            out->first[i] + (counts[i] + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
    size_t size = (size_t)out->first[owners];
    out->x = memory_aligned_room(4 * size, sizeof *out->x);
    out->y = out->x + size;
    out->z = out->y + size;
    out->dist = out->z + size;
}

static void plane_lanes_put(struct plane_lanes *lanes, int at, const struct plane *plane)
{
    lanes->x[at] = plane->normal.x;
    lanes->y[at] = plane->normal.y;
    lanes->z[at] = plane->normal.z;
    lanes->dist[at] = plane->dist;
}

/* From `at` on. */
static void plane_lanes_fill_up(struct plane_lanes *lanes, int owner, int at)
{
    for (; at < lanes->first[owner + 1]; at++)
        plane_lanes_put(lanes, at, &(struct plane){.dist = -DBL_MAX});
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
        struct vec3 a = window_point(window, i), b = window_point(window, next);
        struct vec3 normal = portals->planes[2 * pair].normal;
        struct vec3 inward = vec3_normalize(vec3_cross(vec3_sub(b, a), normal));
        if (vec3_dot(inward, inward) > 0)
            plane_lanes_put(&portals->edges, at++, &(struct plane){inward, vec3_dot(inward, a)});
    }
    plane_lanes_fill_up(&portals->edges, pair, at);
}

/* Farther out than any portal, and so little that no sum of such overflows. */
#define NOWHERE 1e30

static const struct bounds nowhere = {.mins.e = {NOWHERE, NOWHERE, NOWHERE},
                                      .maxs.e = {-NOWHERE, -NOWHERE, -NOWHERE}};

/* Room for so many, which are put there later, and filled up to whole groups. */
static void box_lanes_new(struct box_lanes *out, size_t count)
{
    size_t groups = (count + WINDOW_LANES - 1) / WINDOW_LANES;
    out->groups = memory_aligned_room(groups + 1, BOX_GROUP * sizeof *out->groups);
}

static void box_lanes_put(struct box_lanes *lanes, size_t at, const struct bounds *bounds)
{
    double *min = &lanes->groups[at / WINDOW_LANES * BOX_GROUP + at % WINDOW_LANES];
    for (int axis = 0; axis < 3; axis++, min += 2 * WINDOW_LANES) {
        min[0] = bounds->mins.e[axis];
        min[WINDOW_LANES] = bounds->maxs.e[axis];
    }
}

static void box_lanes_free(struct box_lanes *lanes)
{
    memory_free(lanes->groups);
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
    int *points;           /* the same: how many its window has */
    struct portals *portals;
    size_t pair_chunks;
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

static void lanes_new(size_t count, struct portal_lanes *lanes)
{
    lanes->count = (count + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
    double *next = memory_aligned_room(11 * lanes->count, sizeof *next);
    double **const arrays[] = {&lanes->center[0], &lanes->center[1], &lanes->center[2],
                               &lanes->half[0],   &lanes->half[1],   &lanes->half[2],
                               &lanes->plane[0],  &lanes->plane[1],  &lanes->plane[2],
                               &lanes->plane[3],  &lanes->slant};
    for (int i = 0; i < 11; i++, next += lanes->count) {
        *arrays[i] = next;
        for (size_t k = count; k < lanes->count; k++)
            next[k] = 0;
    }
}

static void put_lanes(struct portals *portals, size_t pair)
{
    struct portal_lanes *lanes = &portals->lanes;
    const struct plane *plane = &portals->planes[2 * pair];
    for (int k = 0; k < 3; k++) {
        lanes->center[k][pair] = portals->boxes[pair].center.e[k];
        lanes->half[k][pair] = portals->boxes[pair].half.e[k];
        lanes->plane[k][pair] = plane->normal.e[k];
    }
    lanes->plane[3][pair] = plane->dist;
    lanes->slant[pair] = plane_type(plane->normal) > PLANE_Z;
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
    job->points[pair] = window->count;
    for (size_t way = 0; way < 2; way++) {
        portals->to[even + way] = portal->clusters[way];
        portals->planes[even + way] = way ? plane_flip(plane) : *plane;
    }
    put_lanes(portals, pair);
}

/* In stretches: two threads side by side in fresh memory would come to the same large page at the
 * same time, and each clear one for it. */
static void add_some(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct build_job *job = context;
    size_t end = (chunk + 1) * CHUNK, pairs = (size_t)job->portals->count / 2;
    for (size_t i = chunk * CHUNK; i < end && i < pairs; i++)
        add(job, i);
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

/* Room for what is in the order of the clusters. */
static void cluster_lanes_new(struct portals *portals)
{
    int clusters = portals->cluster_count;
    int *counts = memory_zalloc((size_t)clusters + 1, sizeof *counts);
    for (int c = 0; c < clusters; c++)
        counts[c] = portals->first[c + 1] - portals->first[c];
    plane_lanes_new(&portals->ways_out, clusters, counts);
    memory_free(counts);
    box_lanes_new(&portals->way_boxes, (size_t)portals->ways_out.first[clusters]);
    size_t chunks = chunks_of((size_t)clusters + 1);
    size_t words = (chunks + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
    box_lanes_new(&portals->reach_lanes, CHUNK * chunks);
    box_lanes_new(&portals->eight_boxes, CHUNK / 8 * chunks);
    box_lanes_new(&portals->word_boxes, words);
    for (size_t i = 0; i < words; i++)
        box_lanes_put(&portals->word_boxes, i, &nowhere);
}

static void put_ways_out(const struct build_job *job, int cluster)
{
    struct portals *portals = job->portals;
    int at = portals->ways_out.first[cluster];
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++, at++) {
        int p = portals->leaving[i];
        const struct box *box = &portals->boxes[p / 2];
        struct bounds bounds = {vec3_sub(box->center, box->half), vec3_add(box->center, box->half)};
        plane_lanes_put(&portals->ways_out, at, &portals->planes[p]);
        box_lanes_put(&portals->way_boxes, (size_t)at, &bounds);
        bounds_add(&portals->reaches[cluster], &job->bounds[p / 2]);
    }
    plane_lanes_fill_up(&portals->ways_out, cluster, at);
    for (; at < portals->ways_out.first[cluster + 1]; at++)
        box_lanes_put(&portals->way_boxes, (size_t)at, &nowhere);
}

static void put_cluster(const struct build_job *job, size_t cluster)
{
    struct portals *portals = job->portals;
    struct bounds *reach = &portals->reaches[cluster];
    *reach = bounds_empty();
    put_ways_out(job, (int)cluster);
    if (bounds_is_empty(reach))
        return;
    struct vec3 center = bounds_center(reach);
    portals->reach_boxes[cluster] = (struct box){center, vec3_sub(reach->maxs, center)};
    box_lanes_put(&portals->reach_lanes, cluster, reach);
}

/* Clusters with nothing else in the lanes that go over 8 and over 64 of them. */
static void put_clusters(const struct build_job *job, size_t chunk)
{
    struct portals *portals = job->portals;
    struct bounds all = nowhere;
    for (size_t eight = chunk * (CHUNK / 8); eight < (chunk + 1) * (CHUNK / 8); eight++) {
        struct bounds some = nowhere;
        for (size_t c = 8 * eight; c < 8 * eight + 8; c++) {
            box_lanes_put(&portals->reach_lanes, c, &nowhere);
            if (c >= (size_t)portals->cluster_count)
                continue;
            put_cluster(job, c);
            bounds_add(&some, &portals->reaches[c]);
        }
        box_lanes_put(&portals->eight_boxes, eight, &some);
        bounds_add(&all, &some);
    }
    box_lanes_put(&portals->word_boxes, chunk, &all);
}

/* Edges of some portals, or some clusters. */
static void put_some(void *context, size_t item, int thread)
{
    (void)thread;
    const struct build_job *job = context;
    if (item >= job->pair_chunks) {
        put_clusters(job, item - job->pair_chunks);
        return;
    }
    size_t end = (item + 1) * CHUNK, pairs = (size_t)job->portals->count / 2;
    for (size_t i = item * CHUNK; i < end && i < pairs; i++)
        put_edges(job->portals, (int)i);
}

void portals_build_by(int threads, const struct prt *prt, struct portals *out)
{
    size_t pairs = arrlenu(prt->portals), clusters = (size_t)prt->cluster_count;
    *out = (struct portals){
        .cluster_count = prt->cluster_count,
        .to = memory_alloc(2 * pairs * sizeof *out->to),
        .planes = memory_alloc(2 * pairs * sizeof *out->planes),
        .boxes = memory_alloc(pairs * sizeof *out->boxes),
        .windows = memory_aligned_room(2 * pairs, sizeof *out->windows),
        .reaches = memory_alloc(clusters * sizeof *out->reaches),
        .reach_boxes = memory_zalloc(clusters, sizeof *out->reach_boxes),
        .first = memory_zalloc(clusters + 1, sizeof *out->first),
        .leaving = memory_alloc(2 * pairs * sizeof *out->leaving),
    };
    struct build_job job = {.prt = prt,
                            .sources = memory_alloc(pairs * sizeof *job.sources),
                            .of_pair = memory_alloc(pairs * sizeof *job.of_pair),
                            .bounds = memory_alloc(pairs * sizeof *job.bounds),
                            .points = memory_alloc(pairs * sizeof *job.points),
                            .portals = out};
    parallel_for(threads, chunks_of(pairs), look_at_some, &job);
    number(&job);
    size_t used = (size_t)out->count / 2;
    lanes_new(used, &out->lanes);
    job.pair_chunks = chunks_of(used);
    parallel_stretches(threads, job.pair_chunks, add_some, &job);
    list_by_cluster(out);
    plane_lanes_new(&out->edges, (int)used, job.points);
    cluster_lanes_new(out);
    parallel_for(threads, job.pair_chunks + chunks_of(clusters + 1), put_some, &job);
    memory_free(job.sources);
    memory_free(job.of_pair);
    memory_free(job.bounds);
    memory_free(job.points);
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
