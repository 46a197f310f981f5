#include "vvis/graph/portals.h"

#include "common/core/array.h"
#include "common/parallel/parallel.h"

enum { CHUNK = 64 }; /* portals, or clusters of a word, per work item: one is too little */

/* A portal with less area than this is an artefact of clipping: its plane is noise. */
#define AREA_MIN 1e-4

static size_t chunks_of(size_t count)
{
    return (count + CHUNK - 1) / CHUNK;
}

static bool is_usable(const struct prt_portal *portal, struct plane *plane)
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

/* Allocates the planes of `owners`, of which owner i has counts[i]. Callers set the planes and
 * pad them. */
static void plane_lanes_new(struct plane_lanes *out, int owners, const int *counts)
{
    out->first = memory_zalloc((size_t)owners + 1, sizeof *out->first);
    for (int i = 0; i < owners; i++)
        out->first[i + 1] =
            out->first[i] + (counts[i] + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
    size_t size = (size_t)out->first[owners];
    out->x = memory_aligned_uninit(4 * size, sizeof *out->x);
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

/* Pads the planes of an owner from `at` on. */
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

/* Farther out than any portal, but small enough that no sum overflows. */
#define NOWHERE 1e30

static const struct bounds nowhere_bounds = {.mins.e = {NOWHERE, NOWHERE, NOWHERE},
                                             .maxs.e = {-NOWHERE, -NOWHERE, -NOWHERE}};

/* Allocates whole groups of boxes, which callers set. */
static void box_lanes_new(struct box_lanes *out, size_t count)
{
    size_t groups = (count + WINDOW_LANES - 1) / WINDOW_LANES;
    out->groups = memory_aligned_uninit(groups + 1, BOX_GROUP * sizeof *out->groups);
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

/* A portal of the file, tested before usable portals are numbered. */
struct file_portal {
    struct plane plane;
    bool usable;
};

struct build_job {
    const struct prt *prt;
    struct file_portal *file_portals;
    int *file_index;       /* portals of the file, by pair of directions */
    struct bounds *bounds; /* by pair of directions */
    int *points;           /* the same: the points of its window */
    struct portals *portals;
    size_t pair_chunks;
};

static void check_chunk(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct build_job *job = context;
    size_t end = (chunk + 1) * CHUNK, count = arrlenu(job->prt->portals);
    for (size_t i = chunk * CHUNK; i < end && i < count; i++)
        job->file_portals[i].usable = is_usable(&job->prt->portals[i], &job->file_portals[i].plane);
}

static void number_portals(struct build_job *job)
{
    struct portals *portals = job->portals;
    for (size_t i = 0; i < arrlenu(job->prt->portals); i++) {
        if (!job->file_portals[i].usable) {
            portals->dropped++;
            continue;
        }
        job->file_index[portals->count / 2] = (int)i;
        portals->count += 2;
    }
}

static void lanes_new(size_t count, struct portal_lanes *lanes)
{
    lanes->count = (count + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
    double *next = memory_aligned_uninit(11 * lanes->count, sizeof *next);
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

static void add_pair(const struct build_job *job, size_t pair)
{
    struct portals *portals = job->portals;
    size_t even = 2 * pair, number_portals = (size_t)job->file_index[pair];
    const struct prt_portal *portal = &job->prt->portals[number_portals];
    const struct plane *plane = &job->file_portals[number_portals].plane;
    struct window *window = &portals->windows[even];
    window_from_winding(portal->winding, plane, window);
    window_reverse(window, &portals->windows[even + 1]);
    struct bounds bounds = bounds_of(window);
    portals->boxes[pair].center = bounds_center(&bounds);
    portals->boxes[pair].half = vec3_sub(bounds.maxs, bounds_center(&bounds));
    job->bounds[pair] = bounds;
    job->points[pair] = window->count;
    for (size_t direction = 0; direction < 2; direction++) {
        portals->to[even + direction] = portal->clusters[direction];
        portals->planes[even + direction] = direction ? plane_flip(plane) : *plane;
    }
    put_lanes(portals, pair);
}

/* Parallel in static chunks: with adjacent chunks, two threads would fault on the same huge page
 * at once and both clear it. */
static void add_chunk(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct build_job *job = context;
    size_t end = (chunk + 1) * CHUNK, pairs = (size_t)job->portals->count / 2;
    for (size_t i = chunk * CHUNK; i < end && i < pairs; i++)
        add_pair(job, i);
}

/* A stable counting sort by the cluster that a portal leaves. */
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

/* Allocates the arrays ordered by cluster. */
static void cluster_lanes_new(struct portals *portals)
{
    int clusters = portals->cluster_count;
    int *counts = memory_zalloc((size_t)clusters + 1, sizeof *counts);
    for (int c = 0; c < clusters; c++)
        counts[c] = portals->first[c + 1] - portals->first[c];
    plane_lanes_new(&portals->exit_planes, clusters, counts);
    memory_free(counts);
    box_lanes_new(&portals->exit_boxes, (size_t)portals->exit_planes.first[clusters]);
    size_t chunks = chunks_of((size_t)clusters + 1);
    size_t words = (chunks + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
    box_lanes_new(&portals->cluster_lanes, CHUNK * chunks);
    box_lanes_new(&portals->cluster_boxes8, CHUNK / 8 * chunks);
    box_lanes_new(&portals->cluster_boxes64, words);
    for (size_t i = 0; i < words; i++)
        box_lanes_put(&portals->cluster_boxes64, i, &nowhere_bounds);
}

static void put_exits(const struct build_job *job, int cluster)
{
    struct portals *portals = job->portals;
    int at = portals->exit_planes.first[cluster];
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++, at++) {
        int p = portals->leaving[i];
        const struct box *box = &portals->boxes[p / 2];
        struct bounds bounds = {vec3_sub(box->center, box->half), vec3_add(box->center, box->half)};
        plane_lanes_put(&portals->exit_planes, at, &portals->planes[p]);
        box_lanes_put(&portals->exit_boxes, (size_t)at, &bounds);
        bounds_add(&portals->cluster_bounds[cluster], &job->bounds[p / 2]);
    }
    plane_lanes_fill_up(&portals->exit_planes, cluster, at);
    for (; at < portals->exit_planes.first[cluster + 1]; at++)
        box_lanes_put(&portals->exit_boxes, (size_t)at, &nowhere_bounds);
}

static void put_cluster(const struct build_job *job, size_t cluster)
{
    struct portals *portals = job->portals;
    struct bounds *reach = &portals->cluster_bounds[cluster];
    *reach = bounds_empty();
    put_exits(job, (int)cluster);
    if (bounds_is_empty(reach))
        return;
    struct vec3 center = bounds_center(reach);
    portals->cluster_boxes[cluster] = (struct box){center, vec3_sub(reach->maxs, center)};
    box_lanes_put(&portals->cluster_lanes, cluster, reach);
}

/* Sets a group of 64 clusters and the boxes around 8 and around 64 of them. */
static void put_clusters(const struct build_job *job, size_t chunk)
{
    struct portals *portals = job->portals;
    struct bounds all = nowhere_bounds;
    for (size_t eight = chunk * (CHUNK / 8); eight < (chunk + 1) * (CHUNK / 8); eight++) {
        struct bounds some = nowhere_bounds;
        for (size_t c = 8 * eight; c < 8 * eight + 8; c++) {
            box_lanes_put(&portals->cluster_lanes, c, &nowhere_bounds);
            if (c >= (size_t)portals->cluster_count)
                continue;
            put_cluster(job, c);
            bounds_add(&some, &portals->cluster_bounds[c]);
        }
        box_lanes_put(&portals->cluster_boxes8, eight, &some);
        bounds_add(&all, &some);
    }
    box_lanes_put(&portals->cluster_boxes64, chunk, &all);
}

/* Sets the edges of some portals, or some clusters. */
static void put_chunk(void *context, size_t item, int thread)
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

void portals_build_parallel(int threads, const struct prt *prt, struct portals *out)
{
    size_t pairs = arrlenu(prt->portals), clusters = (size_t)prt->cluster_count;
    *out = (struct portals){
        .cluster_count = prt->cluster_count,
        .to = memory_alloc(2 * pairs * sizeof *out->to),
        .planes = memory_alloc(2 * pairs * sizeof *out->planes),
        .boxes = memory_alloc(pairs * sizeof *out->boxes),
        .windows = memory_aligned_uninit(2 * pairs, sizeof *out->windows),
        .cluster_bounds = memory_alloc(clusters * sizeof *out->cluster_bounds),
        .cluster_boxes = memory_zalloc(clusters, sizeof *out->cluster_boxes),
        .first = memory_zalloc(clusters + 1, sizeof *out->first),
        .leaving = memory_alloc(2 * pairs * sizeof *out->leaving),
    };
    struct build_job job = {.prt = prt,
                            .file_portals = memory_alloc(pairs * sizeof *job.file_portals),
                            .file_index = memory_alloc(pairs * sizeof *job.file_index),
                            .bounds = memory_alloc(pairs * sizeof *job.bounds),
                            .points = memory_alloc(pairs * sizeof *job.points),
                            .portals = out};
    parallel_for(threads, chunks_of(pairs), check_chunk, &job);
    number_portals(&job);
    size_t used = (size_t)out->count / 2;
    lanes_new(used, &out->lanes);
    job.pair_chunks = chunks_of(used);
    parallel_chunks(threads, job.pair_chunks, add_chunk, &job);
    list_by_cluster(out);
    plane_lanes_new(&out->edges, (int)used, job.points);
    cluster_lanes_new(out);
    parallel_for(threads, job.pair_chunks + chunks_of(clusters + 1), put_chunk, &job);
    memory_free(job.file_portals);
    memory_free(job.file_index);
    memory_free(job.bounds);
    memory_free(job.points);
}

void portals_build(const struct prt *prt, struct portals *out)
{
    portals_build_parallel(1, prt, out);
}

void portals_free(struct portals *portals)
{
    memory_free(portals->to);
    memory_free(portals->planes);
    memory_free(portals->boxes);
    memory_free(portals->windows);
    plane_lanes_free(&portals->edges);
    plane_lanes_free(&portals->exit_planes);
    memory_free(portals->cluster_bounds);
    memory_free(portals->cluster_boxes);
    box_lanes_free(&portals->exit_boxes);
    box_lanes_free(&portals->cluster_lanes);
    box_lanes_free(&portals->cluster_boxes8);
    box_lanes_free(&portals->cluster_boxes64);
    memory_free(portals->lanes.center[0]);
    memory_free(portals->first);
    memory_free(portals->leaving);
    *portals = (struct portals){0};
}
