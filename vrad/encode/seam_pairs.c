#include "vrad/encode/seam_pairs.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"

/* Tolerance in units for equal edges and for positions on them. */
#define SAME_PLACE 0.1

/* Minimum length of a seam, in units. */
#define MIN_SHARED 0.5

/* Maximum coordinate in a map, in units. */
#define FARTHEST 1e6

/* Minimum cosine between normals that count as equal. */
#define SAME_NORMAL 0.998

/* Visibility across a seam is tested this far off the edge on either side, and at these heights:
 * what is lower than all of them does not separate light visibly. */
#define VISIBILITY_INSET 1.0
static const double test_heights[] = {1, 4};
enum { HEIGHTS = sizeof test_heights / sizeof *test_heights };

enum { MAX_POINTS = 4096 }; /* of a seam */

/* Edges are hashed by cubes of this side, which start at an odd offset: an edge along the sides of
 * cubes would lie in four. */
#define CELL       64.0
#define CELL_START 45.3

/* A cosine below this times SAME_NORMAL is also below it in single precision. */
#define ROUNDING 0.9999f

/* Points of a seam whose visibility is tested together. */
enum { BATCH = TRACE_PACKET / HEIGHTS };

struct edge {
    int face;
    struct point2 st[2];
    struct vec3 ends[2], along; /* unit */
    double length;
    bool plain; /* all of the face has the normal of its plane */
};

struct cell {
    int32_t at[3];
};

/* An edge in a cube that it touches, with the values that reject most other edges. */
struct entry {
    int edge;
    bool plain;
    float along[3], normal[3];
};

struct finder {
    const struct luxel_map *map;
    struct edge *edges;      /* stb_ds array */
    struct entry *entries;   /* by the hash of their cubes, then in the order of edges */
    size_t *first;           /* one per hash, and one past: into `entries` */
    uint32_t mask;           /* of hashes */
    struct seam_list *found; /* one per edge */
};

static const struct face_light *face_of(const struct finder *finder, const struct edge *edge)
{
    return &finder->map->faces[edge->face];
}

/* Returns true if the edge lies within the limits of engines. */
static bool is_valid(const struct edge *edge)
{
    for (int k = 0; k < 6; k++)
        if (!(fabs(edge->ends[k / 3].e[k % 3]) < FARTHEST))
            return false;
    return edge->length > MIN_SHARED;
}

static void list_edges(struct finder *finder)
{
    for (int i = 0; i < finder->map->face_count; i++) {
        const struct face_light *face = &finder->map->faces[i];
        for (int k = 0; face->count && k < face->corners; k++) {
            struct edge edge = {.face = i, .plain = !face->mesh && !finder->map->normals.phong[i]};
            for (int end = 0; end < 2; end++) {
                edge.st[end] = face->polygon[(k + end) % face->corners];
                edge.ends[end] = luxel_point(finder->map, face, edge.st[end], NULL);
            }
            struct vec3 way = vec3_sub(edge.ends[1], edge.ends[0]);
            edge.length = vec3_length(way);
            edge.along = vec3_normalize(way);
            if (is_valid(&edge))
                arrput(finder->edges, edge);
        }
    }
}

static uint32_t hash_of(const int32_t cell[3], uint32_t mask)
{
    uint32_t hash = (uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^
                    (uint32_t)cell[2] * 83492791u;
    return (hash ^ hash >> 15) & mask;
}

/* Appends the cubes that the edge touches, within a margin; some twice. */
static void list_cells(const struct edge *edge, struct cell **out)
{
    int steps = 1 + (int)(edge->length / CELL);
    for (int step = 0; step < steps; step++) {
        struct vec3 ends[2];
        int32_t low[3], high[3];
        for (int i = 0; i < 2; i++)
            ends[i] = vec3_lerp(edge->ends[0], edge->ends[1], (double)(step + i) / steps);
        for (int k = 0; k < 3; k++) {
            double a = ends[0].e[k] + CELL_START, b = ends[1].e[k] + CELL_START;
            low[k] = (int32_t)floor(((a < b ? a : b) - SAME_PLACE) / CELL);
            high[k] = (int32_t)floor(((a < b ? b : a) + SAME_PLACE) / CELL);
        }
        for (int x = low[0]; x <= high[0]; x++)
            for (int y = low[1]; y <= high[1]; y++)
                for (int z = low[2]; z <= high[2]; z++)
                    arrput(*out, ((struct cell){{x, y, z}}));
    }
}

static struct entry entry_of(const struct finder *finder, int number)
{
    const struct edge *edge = &finder->edges[number];
    struct entry entry = {.edge = number, .plain = edge->plain};
    for (int k = 0; k < 3; k++) {
        entry.along[k] = (float)edge->along.e[k];
        entry.normal[k] = (float)face_of(finder, edge)->normal.e[k];
    }
    return entry;
}

/* Lists edges by their cubes. */
static void sort_edges(struct finder *finder)
{
    struct cell *cells = NULL;
    size_t edges = arrlenu(finder->edges), hashes = 1;
    size_t *ends = memory_alloc((edges + 1) * sizeof *ends); /* of each edge's cells */
    for (size_t i = 0; i < edges; i++) {
        list_cells(&finder->edges[i], &cells);
        ends[i] = arrlenu(cells);
    }
    size_t count = arrlenu(cells);
    while (hashes < count)
        hashes *= 2;
    finder->mask = (uint32_t)(hashes - 1);
    finder->first = memory_zalloc(hashes + 2, sizeof *finder->first);
    finder->entries = memory_alloc((count + 1) * sizeof *finder->entries);
    size_t *next = finder->first + 1; /* filling advances each to the next one's start */
    for (size_t i = 0; i < count; i++)
        next[1 + hash_of(cells[i].at, finder->mask)]++;
    for (size_t i = 0; i < hashes; i++)
        next[i + 1] += next[i];
    for (size_t i = 0, k = 0; i < edges; i++) {
        const struct entry entry = entry_of(finder, (int)i);
        for (; k < ends[i]; k++)
            finder->entries[next[hash_of(cells[k].at, finder->mask)]++] = entry;
    }
    memory_free(ends);
    arrfree(cells);
}

/* The part of `a`, from 0 to its length, that lies on `b`; false when there is none. */
static bool shared_part(const struct edge *a, const struct edge *b, double part[2])
{
    for (int end = 0; end < 2; end++) {
        struct vec3 way = vec3_sub(b->ends[end], a->ends[0]);
        part[end] = vec3_dot(way, a->along);
        if (vec3_length(vec3_mad(way, a->along, -part[end])) > SAME_PLACE)
            return false;
    }
    double low = portable_fmin(part[0], part[1]), high = portable_fmax(part[0], part[1]);
    part[0] = portable_fmax(low, 0);
    part[1] = portable_fmin(high, a->length);
    return part[1] - part[0] > MIN_SHARED;
}

static struct point2 st_of(const struct edge *edge, struct vec3 point)
{
    double u = vec3_dot(vec3_sub(point, edge->ends[0]), edge->along) / edge->length;
    return (struct point2){edge->st[0].s + (edge->st[1].s - edge->st[0].s) * u,
                           edge->st[0].t + (edge->st[1].t - edge->st[0].t) * u};
}

static double luxels_long(const struct edge *edge)
{
    return portable_hypot(edge->st[1].s - edge->st[0].s, edge->st[1].t - edge->st[0].t);
}

/* One luxel across the edge, towards the middle of the face. */
static struct point2 inward_of(const struct finder *finder, const struct edge *edge)
{
    const struct face_light *face = face_of(finder, edge);
    struct point2 middle = shape_center(face->polygon, face->corners);
    double long_by = portable_fmax(luxels_long(edge), 1e-9);
    struct point2 across = {(edge->st[0].t - edge->st[1].t) / long_by,
                            (edge->st[1].s - edge->st[0].s) / long_by};
    double side = across.s * (middle.s - edge->st[0].s) + across.t * (middle.t - edge->st[0].t);
    return side < 0 ? (struct point2){-across.s, -across.t} : across;
}

static bool same_bumps(const struct finder *finder, const struct edge *const edges[2],
                       const struct point2 at[2])
{
    struct vec3 basis[2][LUXEL_BUMPS];
    for (int i = 0; i < 2; i++) {
        const struct face_light *face = face_of(finder, edges[i]);
        if (face->slots == 1)
            return false;
        int luxel =
            luxel_nearest(face, (float)portable_fmax(at[i].s, 0), (float)portable_fmax(at[i].t, 0));
        struct luxel room;
        luxel_bump_basis(finder->map->scene, face, luxel_of(face, luxel, &room), basis[i]);
    }
    for (int k = 0; k < LUXEL_BUMPS; k++)
        if (vec3_dot(basis[0][k], basis[1][k]) < SAME_NORMAL)
            return false;
    return true;
}

/* A point on both edges. */
struct shared_point {
    struct point2 at[2];
    struct vec3 start[2], normal[2]; /* slightly inside of either face, and its normal */
};

/* Two edges that share a part. */
struct edge_pair {
    const struct edge *edges[2];
    struct seam seam;
    struct vec3 step[2]; /* on flat faces: from the edge to the start of visibility rays */
};

static struct vec3 step_at(const struct finder *finder, const struct face_light *face,
                           struct point2 at, struct point2 inward, struct vec3 place)
{
    struct point2 inside = {at.s + inward.s, at.t + inward.t};
    struct vec3 way = vec3_sub(luxel_point(finder->map, face, inside, NULL), place);
    return vec3_scale(vec3_normalize(way), VISIBILITY_INSET);
}

static struct edge_pair edge_pair_of(const struct finder *finder, const struct edge *const edges[2])
{
    struct edge_pair edge_pair = {.seam = {.face = {edges[0]->face, edges[1]->face}}};
    for (int i = 0; i < 2; i++) {
        edge_pair.edges[i] = edges[i];
        edge_pair.seam.inward[i] = inward_of(finder, edges[i]);
        edge_pair.step[i] = step_at(finder, face_of(finder, edges[i]), edges[i]->st[0],
                                    edge_pair.seam.inward[i], edges[i]->ends[0]);
    }
    return edge_pair;
}

static bool shared_point_at(const struct finder *finder, const struct edge_pair *edge_pair,
                            struct vec3 point, struct shared_point *out)
{
    struct vec3 place[2], normal[2];
    for (int i = 0; i < 2; i++) {
        const struct edge *edge = edge_pair->edges[i];
        const struct face_light *face = face_of(finder, edge);
        out->at[i] = st_of(edge, point);
        place[i] = luxel_point(finder->map, face, out->at[i], edge->plain ? NULL : &normal[i]);
        if (edge->plain)
            normal[i] = face->normal;
        out->start[i] = vec3_add(place[i], face->mesh ? step_at(finder, face, out->at[i],
                                                                edge_pair->seam.inward[i], place[i])
                                                      : edge_pair->step[i]);
        out->normal[i] = face->mesh ? normal[i] : face->normal;
    }
    return vec3_distance(place[0], place[1]) < SAME_PLACE &&
           vec3_dot(normal[0], normal[1]) > SAME_NORMAL;
}

/* The points at which both sides see each other, one bit each. */
static uint32_t visible_points(const struct finder *finder,
                               const struct shared_point *shared_points, int count)
{
    struct trace_packet packet = {0};
    uint32_t open = 0;
    for (int i = 0; i < count * HEIGHTS; i++) {
        const struct shared_point *shared_point = &shared_points[i / HEIGHTS];
        double height = test_heights[i % HEIGHTS];
        for (int k = 0; k < 3; k++) {
            double from = shared_point->start[0].e[k] + height * shared_point->normal[0].e[k];
            double to = shared_point->start[1].e[k] + height * shared_point->normal[1].e[k];
            packet.origin[k][i] = (float)from;
            packet.direction[k][i] = (float)(to - from);
        }
        packet.far[i] = 1;
    }
    uint32_t valid = (1u << (count * HEIGHTS)) - 1, all = (1u << HEIGHTS) - 1;
    uint32_t blocked = count ? scene_blocked16(finder->map->scene, &packet, valid) : 0;
    for (int i = 0; i < count; i++)
        open |= (uint32_t)!(blocked >> (i * HEIGHTS) & all) << i;
    return open;
}

/* Adds the visible points to the seam. Returns true if there are any. */
static bool add_visible_points(const struct finder *finder,
                               const struct shared_point *shared_points, int count,
                               struct edge_pair *edge_pair, bool first, struct seam_list *out)
{
    uint32_t open = visible_points(finder, shared_points, count);
    for (int i = 0; i < count; i++) {
        if (!(open >> i & 1))
            continue;
        if (first)
            edge_pair->seam.bumps = same_bumps(finder, edge_pair->edges, shared_points[i].at);
        first = false;
        struct seam_point put = {.seam = (int)arrlen(out->seams)};
        for (int k = 0; k < 2; k++) {
            put.st[k][0] = (float)shared_points[i].at[k].s;
            put.st[k][1] = (float)shared_points[i].at[k].t;
        }
        arrput(out->points, put);
    }
    return open;
}

static void put_points(const struct finder *finder, const struct edge *const edges[2],
                       const double part[2], struct seam_list *out)
{
    struct edge_pair edge_pair = edge_pair_of(finder, edges);
    struct shared_point shared_points[BATCH];
    double luxels = 0;
    for (int i = 0; i < 2; i++)
        luxels =
            portable_fmax(luxels, luxels_long(edges[i]) / edges[i]->length * (part[1] - part[0]));
    int count = (int)portable_fmin(ceil(luxels - 1e-6), MAX_POINTS), waiting = 0;
    bool any = false;
    for (int i = 0; i < count; i++) {
        double at = part[0] + (part[1] - part[0]) * (i + 0.5) / count;
        struct vec3 point = vec3_mad(edges[0]->ends[0], edges[0]->along, at);
        waiting += shared_point_at(finder, &edge_pair, point, &shared_points[waiting]);
        if (waiting == BATCH) {
            any |= add_visible_points(finder, shared_points, waiting, &edge_pair, !any, out);
            waiting = 0;
        }
    }
    any |= add_visible_points(finder, shared_points, waiting, &edge_pair, !any, out);
    if (any)
        arrput(out->seams, edge_pair.seam);
}

/* Flat faces share edges in opposite directions, or else they overlap. */
static bool may_meet(const struct finder *finder, const struct edge *a, const struct edge *b)
{
    const struct face_light *x = face_of(finder, a), *y = face_of(finder, b);
    if (a->face == b->face || x->model != y->model || !x->mesh != !y->mesh)
        return false;
    double along = vec3_dot(a->along, b->along);
    return x->mesh ? fabs(along) > SAME_NORMAL : along < -SAME_NORMAL;
}

/* An edge that shares a part with the current one. */
struct neighbour {
    int edge;
    double part[2];
};

/* Inserts an edge in order of number, if it is a new neighbour. */
static void take_neighbour(const struct finder *finder, const struct edge *edge, int number,
                           struct neighbour **near)
{
    const struct edge *other = &finder->edges[number];
    struct neighbour one = {.edge = number};
    if (!may_meet(finder, edge, other) || !shared_part(edge, other, one.part))
        return;
    ptrdiff_t at = arrlen(*near);
    while (at > 0 && (*near)[at - 1].edge > number)
        at--;
    if (at == 0 || (*near)[at - 1].edge != number)
        arrins(*near, at, one);
}

static inline float along(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Rejects nearly all edges without a common part. */
static inline bool may_match(const struct entry *a, const struct entry *b)
{
    const float min = (float)SAME_NORMAL * ROUNDING;
    return b->edge > a->edge && fabsf(along(a->along, b->along)) > min &&
           (!a->plain || !b->plain || along(a->normal, b->normal) > min);
}

/* The edges after `number` that share a part with it, in order. An stb_ds array. */
static struct neighbour *neighbours_of(const struct finder *finder, int number)
{
    const struct edge *edge = &finder->edges[number];
    const struct entry own = entry_of(finder, number);
    struct cell *cells = NULL;
    struct neighbour *near = NULL;
    list_cells(edge, &cells);
    for (ptrdiff_t i = 0; i < arrlen(cells); i++) {
        uint32_t hash = hash_of(cells[i].at, finder->mask);
        for (size_t k = finder->first[hash]; k < finder->first[hash + 1]; k++)
            if (may_match(&own, &finder->entries[k]))
                take_neighbour(finder, edge, finder->entries[k].edge, &near);
    }
    arrfree(cells);
    return near;
}

static void find_seams(void *context, size_t number, int thread)
{
    const struct finder *finder = context;
    (void)thread;
    struct neighbour *near = neighbours_of(finder, (int)number);
    for (ptrdiff_t i = 0; i < arrlen(near); i++) {
        const struct edge *const edges[2] = {&finder->edges[number], &finder->edges[near[i].edge]};
        put_points(finder, edges, near[i].part, &finder->found[number]);
    }
    arrfree(near);
}

/* Makes room for what was found, and for no more. */
static void reserve(const struct finder *finder, struct seam_list *out)
{
    size_t seams = 0, points = 0;
    for (size_t i = 0; i < arrlenu(finder->edges); i++) {
        seams += arrlenu(finder->found[i].seams);
        points += arrlenu(finder->found[i].points);
    }
    if (seams)
        arrsetcap(out->seams, seams);
    if (points)
        arrsetcap(out->points, points);
}

void seam_list_build(const struct env *env, const struct luxel_map *map, struct seam_list *out)
{
    struct finder finder = {.map = map};
    *out = (struct seam_list){0};
    list_edges(&finder);
    sort_edges(&finder);
    finder.found = memory_zalloc(arrlenu(finder.edges) + 1, sizeof *finder.found);
    parallel_for_until(env->stop, env->threads, arrlenu(finder.edges), find_seams, &finder);
    memory_free(finder.entries);
    memory_free(finder.first);
    reserve(&finder, out);
    for (size_t i = 0; i < arrlenu(finder.edges); i++) {
        int first = (int)arrlen(out->seams);
        for (size_t k = 0; k < arrlenu(finder.found[i].seams); k++)
            arrput(out->seams, finder.found[i].seams[k]);
        for (size_t k = 0; k < arrlenu(finder.found[i].points); k++) {
            arrput(out->points, finder.found[i].points[k]);
            arrlast(out->points).seam += first;
        }
        seam_list_free(&finder.found[i]);
    }
    memory_free(finder.found);
    arrfree(finder.edges);
}

void seam_list_free(struct seam_list *list)
{
    arrfree(list->seams);
    arrfree(list->points);
    *list = (struct seam_list){0};
}
