#include "vbsp/faces/vertex_pool.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/geom/epsilon.h"

/* Cell size of the vertex hash: a few vertices per cell in typical maps. */
#define CELL_SIZE 64.0
/* Cells are offset from the editor grid: a search around a vertex then visits one cell instead of
 * all that meet there. */
#define CELL_SHIFT 21.5
/* Largest rounding error of cuts at vertices on the grid. */
#define SNAP 0.01

enum { FIRST_SLOTS = 256 }; /* a power of two, as are all later sizes */

struct vertex_place {
    struct bsp_vertex key;
    int value;
};

void vertex_pool_init(struct vertex_pool *pool, struct bsp_vertex **vertices, bool no_weld)
{
    *pool = (struct vertex_pool){
        .vertices = vertices, .no_weld = no_weld, .weld = EPSILON_WELD, .snap = SNAP};
    if (!arrlenu(*vertices)) {
        struct bsp_vertex reserved = {{0, 0, 0}};
        arrput(*vertices, reserved);
    }
    arrsetlen(pool->links, arrlenu(*vertices));
}

void vertex_pool_free(struct vertex_pool *pool)
{
    hmfree(pool->places);
    arrfree(pool->links);
    arrfree(pool->slots);
    *pool = (struct vertex_pool){0};
}

void vertex_pool_next_model(struct vertex_pool *pool)
{
    arrsetlen(pool->slots, 0);
    pool->count = 0;
}

struct vec3 vertex_pool_at(const struct vertex_pool *pool, int vertex)
{
    const float *p = (*pool->vertices)[vertex].p;
    return vec3((double)p[0], (double)p[1], (double)p[2]);
}

static int cell_of(double coordinate)
{
    double cell = (coordinate + CELL_SHIFT) / CELL_SIZE;
    int whole = (int)cell;
    return whole - (cell < whole); /* floor() is a call where it is not an instruction */
}

/* 21 bits per coordinate: far more than the world has cells. */
static uint64_t cell_key(const int cell[3])
{
    uint64_t key = 0;
    for (int i = 0; i < 3; i++)
        key = key << 21 | ((uint64_t)cell[i] & 0x1fffff);
    return key;
}

static size_t slot_of(const struct vertex_pool *pool, uint64_t cell)
{
    return (size_t)hash_u64(cell) & (arrlenu(pool->slots) - 1);
}

/* The next vertex of the cell in a chain, from `vertex` on; -1: no more. */
static int skip_others(const struct vertex_pool *pool, int vertex, uint64_t cell)
{
    while (vertex >= 0 && pool->links[vertex].cell != cell)
        vertex = pool->links[vertex].next;
    return vertex;
}

static int cell_first(const struct vertex_pool *pool, uint64_t cell)
{
    return pool->count ? skip_others(pool, pool->slots[slot_of(pool, cell)], cell) : -1;
}

static int cell_next(const struct vertex_pool *pool, int vertex)
{
    return skip_others(pool, pool->links[vertex].next, pool->links[vertex].cell);
}

static int find_near(const struct vertex_pool *pool, struct vec3 point, double radius)
{
    int low[3], high[3], best = -1;
    double nearest = radius;
    for (int i = 0; i < 3; i++) {
        low[i] = cell_of(point.e[i] - radius);
        high[i] = cell_of(point.e[i] + radius);
    }
    for (int x = low[0]; x <= high[0]; x++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int z = low[2]; z <= high[2]; z++)
                for (int v = cell_first(pool, cell_key((int[3]){x, y, z})); v >= 0;
                     v = cell_next(pool, v)) {
                    if (fabs((double)(*pool->vertices)[v].p[0] - point.x) > radius)
                        continue; /* nearly all end here, without a square root */
                    double distance = vec3_distance(vertex_pool_at(pool, v), point);
                    if (distance > nearest || (distance >= nearest && best >= 0 && v > best))
                        continue;
                    nearest = distance;
                    best = v;
                }
    return best;
}

static void link_vertex(struct vertex_pool *pool, int vertex)
{
    int *slot = &pool->slots[slot_of(pool, pool->links[vertex].cell)];
    pool->links[vertex].next = *slot;
    *slot = vertex;
}

/* Keeps at least one slot per vertex. */
static void grow(struct vertex_pool *pool)
{
    size_t old_count = pool->count ? arrlenu(pool->slots) : 0;
    int *old = pool->slots;
    pool->slots = NULL;
    arrsetlen(pool->slots, old_count ? 2 * old_count : FIRST_SLOTS);
    for (size_t i = 0; i < arrlenu(pool->slots); i++)
        pool->slots[i] = -1;
    for (size_t i = 0; i < old_count; i++) {
        for (int vertex = old[i], next; vertex >= 0; vertex = next) {
            next = pool->links[vertex].next;
            link_vertex(pool, vertex);
        }
    }
    arrfree(old);
}

static void add_to_model(struct vertex_pool *pool, int vertex)
{
    struct vec3 point = vertex_pool_at(pool, vertex);
    int cell[3] = {cell_of(point.x), cell_of(point.y), cell_of(point.z)};
    if (pool->count >= arrlenu(pool->slots))
        grow(pool);
    pool->links[vertex].cell = cell_key(cell);
    link_vertex(pool, vertex);
    pool->count++;
}

/* The vertex with exactly this position, of any model, or a new one. */
static int find_exact(struct vertex_pool *pool, struct bsp_vertex position)
{
    ptrdiff_t at = hmgeti(pool->places, position);
    if (at >= 0)
        return pool->places[at].value;
    int vertex = (int)arrlen(*pool->vertices);
    arrput(*pool->vertices, position);
    arrsetlen(pool->links, arrlenu(*pool->vertices));
    hmput(pool->places, position, vertex);
    return vertex;
}

int vertex_pool_find(struct vertex_pool *pool, struct vec3 point)
{
    struct bsp_vertex position;
    for (int i = 0; i < 3; i++) {
        double whole = floor(point.e[i] + 0.5);
        if (fabs(point.e[i] - whole) < pool->snap)
            point.e[i] = whole;
        position.p[i] = (float)point.e[i] + 0.0f; /* -0 becomes 0 */
    }
    struct vec3 exact = vec3((double)position.p[0], (double)position.p[1], (double)position.p[2]);
    int vertex = find_near(pool, exact, pool->no_weld ? 0 : pool->weld);
    if (vertex >= 0)
        return vertex;
    vertex = find_exact(pool, position);
    add_to_model(pool, vertex);
    return vertex;
}

int *vertex_pool_outline(struct vertex_pool *pool, const struct winding *winding)
{
    int *vertices = NULL;
    for (int i = 0; i < winding->count; i++) {
        int vertex = vertex_pool_find(pool, winding->points[i]);
        if (!arrlenu(vertices) || arrlast(vertices) != vertex)
            arrput(vertices, vertex);
    }
    while (arrlenu(vertices) > 1 && vertices[0] == arrlast(vertices))
        (void)arrpop(vertices);
    return vertices;
}

struct edge_search {
    const struct vertex_pool *pool;
    int from, to;
    struct vec3 start, along;
    double length, reach;
    struct vertex_on_edge **out;
};

/* True if a vertex beside one end is closer to the other end than that end is: of two that are the
 * ends of a face too small to draw, one is, and closes the gap. */
static bool is_nearer(const struct edge_search *search, int vertex, int beside)
{
    int other = beside == search->from ? search->to : search->from;
    struct vec3 at = vertex_pool_at(search->pool, vertex);
    if (vec3_distance(at, vertex_pool_at(search->pool, beside)) > search->reach)
        return false;
    double distance = vec3_distance(at, vertex_pool_at(search->pool, other));
    return distance < search->length || (distance <= search->length && vertex < beside);
}

static bool is_between(const struct edge_search *search, int vertex, double along, double off)
{
    double rest = search->length - along;
    if (along <= 0 || rest <= 0 || off > search->reach)
        return false;
    if (off <= along && off <= rest)
        return true;
    return is_nearer(search, vertex, along < rest ? search->from : search->to);
}

static void search_cell(const struct edge_search *search, const int cell[3])
{
    const struct vertex_pool *pool = search->pool;
    for (int v = cell_first(pool, cell_key(cell)); v >= 0; v = cell_next(pool, v)) {
        if (v == search->from || v == search->to)
            continue;
        struct vec3 offset = vec3_sub(vertex_pool_at(pool, v), search->start);
        double along = vec3_dot(offset, search->along);
        double off = vec3_length(vec3_mad(offset, search->along, -along));
        if (!is_between(search, v, along, off))
            continue;
        struct vertex_on_edge found = {along, off, v};
        arrput(*search->out, found);
    }
}

/* The cells in one slab across the edge's major axis that come within reach of the edge. */
static void search_slab(const struct edge_search *search, int axis, int slab)
{
    double low_end = slab * CELL_SIZE - CELL_SHIFT, high_end = low_end + CELL_SIZE;
    double begin = (low_end - search->reach - search->start.e[axis]) / search->along.e[axis];
    double end = (high_end + search->reach - search->start.e[axis]) / search->along.e[axis];
    double ends[2] = {portable_fmin(begin, end), portable_fmax(begin, end)};
    struct bounds part = bounds_empty();
    for (int i = 0; i < 2; i++) {
        double along = portable_fmin(portable_fmax(ends[i], 0), search->length);
        bounds_add_point(&part, vec3_mad(search->start, search->along, along));
    }
    int low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = i == axis ? slab : cell_of(part.mins.e[i] - search->reach);
        high[i] = i == axis ? slab : cell_of(part.maxs.e[i] + search->reach);
    }
    for (int x = low[0]; x <= high[0]; x++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int z = low[2]; z <= high[2]; z++)
                search_cell(search, (int[3]){x, y, z});
}

static int compare_along(const void *a, const void *b)
{
    const struct vertex_on_edge *x = a, *y = b;
    if (x->along != y->along)
        return x->along < y->along ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

void vertex_pool_on_edge(const struct vertex_pool *pool, int from, int to, double reach,
                         struct vertex_on_edge **out)
{
    struct vec3 start = vertex_pool_at(pool, from), end = vertex_pool_at(pool, to);
    struct vec3 line = vec3_sub(end, start);
    double length = vec3_length(line);
    size_t already = arrlenu(*out);
    if (!(length > 0))
        return;
    struct edge_search search = {.pool = pool,
                                 .from = from,
                                 .to = to,
                                 .start = start,
                                 .length = length,
                                 .reach = reach,
                                 .along = vec3_scale(line, 1 / length),
                                 .out = out};
    int axis = vec3_major_axis(line);
    double low = portable_fmin(start.e[axis], end.e[axis]),
           high = portable_fmax(start.e[axis], end.e[axis]);
    for (int slab = cell_of(low - reach); slab <= cell_of(high + reach); slab++)
        search_slab(&search, axis, slab);
    if (arrlenu(*out) > already + 1)
        qsort(*out + already, arrlenu(*out) - already, sizeof **out, compare_along);
}
