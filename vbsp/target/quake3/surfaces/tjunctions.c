#include "vbsp/target/quake3/surfaces/tjunctions.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/random.h"
#include "common/parallel/parallel.h"
#include "vbsp/faces/outline.h"
#include "vbsp/target/quake3/surfaces/surface.h"

enum { SURFACES_AT_ONCE = 64 }; /* of a thread: less is sooner done than handed out */

struct fixer {
    struct vertex_pool pool;
    struct draw_surface *surfaces;
    size_t count;
    int **corners;                 /* one a surface: a stb_ds array, the pool's number a vertex */
    struct vertex_on_edge **found; /* one a thread: a stb_ds array, scratch */
    size_t *added;                 /* one a surface */
};

static bool takes_part(const struct draw_surface *surface)
{
    return !surface->no_tjunctions && surface->type != SURFACE_PATCH &&
           surface->type != SURFACE_FLARE && arrlenu(surface->vertices) >= 3;
}

static int compare_points(const void *a, const void *b)
{
    const struct vec3 *one = a, *two = b;
    for (int i = 0; i < 3; i++)
        if (one->e[i] < two->e[i] || one->e[i] > two->e[i])
            return one->e[i] < two->e[i] ? -1 : 1;
    return 0;
}

/* Fills the pool by place, so that it does not hang on the order of the surfaces which of near
 * corners all are drawn to. */
static void fill_pool(struct fixer *fixer)
{
    struct vec3 *points = NULL;
    for (size_t i = 0; i < fixer->count; i++)
        for (size_t k = 0;
             takes_part(&fixer->surfaces[i]) && k < arrlenu(fixer->surfaces[i].vertices); k++)
            arrput(points, fixer->surfaces[i].vertices[k].p);
    if (arrlenu(points) > 1)
        qsort(points, arrlenu(points), sizeof *points, compare_points);
    for (size_t i = 0; i < arrlenu(points); i++)
        if (i == 0 || compare_points(&points[i - 1], &points[i]))
            vertex_pool_find(&fixer->pool, points[i]);
    arrfree(points);
}

static void find_corners(struct fixer *fixer)
{
    fixer->corners = memory_zalloc(fixer->count, sizeof *fixer->corners);
    for (size_t i = 0; i < fixer->count; i++) {
        const struct draw_surface *surface = &fixer->surfaces[i];
        for (size_t k = 0; takes_part(surface) && k < arrlenu(surface->vertices); k++)
            arrput(fixer->corners[i], vertex_pool_find(&fixer->pool, surface->vertices[k].p));
    }
}

/* Work on one surface. */
struct piece {
    const struct fixer *fixer;
    struct draw_surface *surface;
    const int *corners; /* the pool's number a vertex, as they were */
    struct vertex_on_edge **found;
    struct draw_vertex *vertices; /* stb_ds array: as they become */
    int *indices;                 /* stb_ds array */
    struct new_point *points;     /* stb_ds array: those on edges, for the triangles beside */
    int *slots;                   /* stb_ds array: chains of points, by their vertex */
    size_t added;
};

/* On an edge of the pool, from < to. */
struct new_point {
    int from, to, vertex;
    int made; /* in vertices */
    int next; /* or -1 */
};

static size_t slot_of(const struct piece *piece, int vertex)
{
    return (size_t)hash_u64((uint64_t)vertex) & (arrlenu(piece->slots) - 1);
}

static int find_point(const struct piece *piece, const struct new_point *wanted)
{
    if (!arrlenu(piece->slots))
        return -1;
    for (int i = piece->slots[slot_of(piece, wanted->vertex)]; i >= 0; i = piece->points[i].next) {
        const struct new_point *point = &piece->points[i];
        if (point->vertex == wanted->vertex && point->from == wanted->from &&
            point->to == wanted->to)
            return point->made;
    }
    return -1;
}

static void keep_point(struct piece *piece, struct new_point point)
{
    size_t slots = 16;
    while (slots < arrlenu(piece->surface->indices))
        slots *= 2;
    while (arrlenu(piece->slots) < slots)
        arrput(piece->slots, -1);
    int *slot = &piece->slots[slot_of(piece, point.vertex)];
    point.next = *slot;
    *slot = (int)arrlen(piece->points);
    arrput(piece->points, point);
}

/* Where between two corners a point is, 0 to 1. */
static double share_of(struct vec3 from, struct vec3 to, struct vec3 p)
{
    struct vec3 way = vec3_sub(to, from);
    double square = vec3_dot(way, way);
    double t = square > 0 ? vec3_dot(way, vec3_sub(p, from)) / square : 0;
    return fmin(fmax(t, 0), 1);
}

/* A vertex on the edge of two; the same for both triangles beside it. */
static struct draw_vertex between(const struct piece *piece, int a, int b, int vertex)
{
    if (piece->corners[a] > piece->corners[b]) {
        int swapped = a;
        a = b;
        b = swapped;
    }
    const struct draw_vertex *from = &piece->vertices[a], *to = &piece->vertices[b];
    struct vec3 p = vertex_pool_at(&piece->fixer->pool, vertex);
    struct draw_vertex made = draw_vertex_lerp(from, to, share_of(from->p, to->p, p));
    made.p = p;
    return made;
}

/* An outline of corners with what lies on its edges; `places` has where each of the walk's points
 * is in vertices, or -1 - edge. */
struct walk {
    int *points; /* stb_ds array: of the pool, complements on edges */
    int *edges;  /* stb_ds array: which side of the outline */
};

static struct walk walk_around(const struct piece *piece, const int *outline, int count)
{
    struct walk walk = {NULL, NULL};
    for (int i = 0; i < count; i++) {
        int from = piece->corners[outline[i]], to = piece->corners[outline[(i + 1) % count]];
        if (from == to)
            continue;
        arrput(walk.points, from);
        edge_points(&piece->fixer->pool, from, to, TJUNCTION_NEAR, NULL, piece->found,
                    &walk.points);
        while (arrlenu(walk.edges) < arrlenu(walk.points))
            arrput(walk.edges, i);
    }
    return walk;
}

static void walk_free(struct walk *walk)
{
    arrfree(walk->points);
    arrfree(walk->edges);
}

/* The vertex (in vertices) that a point of a walk is. */
static int vertex_of_point(struct piece *piece, const struct walk *walk, const int *outline,
                           int count, int point)
{
    size_t at = 0;
    while (outline_vertex(walk->points[at]) != outline_vertex(point))
        at++;
    int a = outline[walk->edges[at]], b = outline[(walk->edges[at] + 1) % count];
    if (walk->points[at] >= 0)
        return a;
    int from = piece->corners[a], to = piece->corners[b], vertex = outline_vertex(point);
    struct new_point new = {from < to ? from : to, from < to ? to : from, vertex, 0, -1};
    int known = find_point(piece, &new);
    if (known >= 0)
        return known;
    struct draw_vertex added = between(piece, a, b, vertex);
    new.made = (int)arrlen(piece->vertices);
    arrput(piece->vertices, added);
    keep_point(piece, new);
    piece->added++;
    return new.made;
}

/* The loops of an outline, with points of the pool made vertices. */
static struct outline_loop *cut_outline(struct piece *piece, const int *outline, int count)
{
    struct walk walk = walk_around(piece, outline, count);
    struct outline_loop *loops = arrlenu(walk.points) ? outline_loops(walk.points) : NULL;
    for (size_t i = 0; i < arrlenu(loops); i++)
        for (size_t k = 0; k < arrlenu(loops[i].points); k++)
            loops[i].points[k] = vertex_of_point(piece, &walk, outline, count, loops[i].points[k]);
    walk_free(&walk);
    return loops;
}

static void add_triangles(struct piece *piece, const int *loop)
{
    struct vec3 *points = NULL;
    int *indices = NULL;
    for (size_t i = 0; i < arrlenu(loop); i++)
        arrput(points, piece->vertices[loop[i]].p);
    triangulate_outline(points, (int)arrlen(points), &indices);
    for (size_t i = 0; i < arrlenu(indices); i++)
        arrput(piece->indices, loop[indices[i]]);
    arrfree(points);
    arrfree(indices);
}

static void loops_free(struct outline_loop *loops)
{
    for (size_t i = 0; i < arrlenu(loops); i++)
        arrfree(loops[i].points);
    arrfree(loops);
}

/* A polygon stays one where it can; one that falls into several gets its triangles here. */
static void fix_polygon(struct piece *piece)
{
    int *outline = NULL, count = (int)arrlen(piece->surface->vertices);
    for (int i = 0; i < count; i++)
        arrput(outline, i);
    struct outline_loop *loops = cut_outline(piece, outline, count);
    arrfree(outline);
    if (arrlenu(loops) > 1) {
        for (size_t i = 0; i < arrlenu(loops); i++)
            add_triangles(piece, loops[i].points);
    } else {
        struct draw_vertex *vertices = NULL;
        for (size_t i = 0; arrlenu(loops) && i < arrlenu(loops[0].points); i++)
            arrput(vertices, piece->vertices[loops[0].points[i]]);
        arrfree(piece->vertices);
        piece->vertices = vertices;
    }
    loops_free(loops);
}

static void fix_triangles(struct piece *piece)
{
    for (size_t i = 0; i + 2 < arrlenu(piece->surface->indices); i += 3) {
        struct outline_loop *loops = cut_outline(piece, piece->surface->indices + i, 3);
        for (size_t k = 0; k < arrlenu(loops); k++)
            add_triangles(piece, loops[k].points);
        loops_free(loops);
    }
}

static void fix_surface(struct fixer *fixer, size_t index, int thread)
{
    struct draw_surface *surface = &fixer->surfaces[index];
    if (!takes_part(surface))
        return;
    struct piece piece = {.fixer = fixer,
                          .surface = surface,
                          .corners = fixer->corners[index],
                          .found = &fixer->found[thread]};
    for (size_t i = 0; i < arrlenu(surface->vertices); i++) {
        arrput(piece.vertices, surface->vertices[i]);
        piece.vertices[i].p = vertex_pool_at(&fixer->pool, piece.corners[i]);
    }
    if (surface->indices)
        fix_triangles(&piece);
    else
        fix_polygon(&piece);
    draw_surface_free(surface);
    surface->vertices = piece.vertices;
    surface->indices = piece.indices;
    fixer->added[index] = piece.added;
    arrfree(piece.points);
    arrfree(piece.slots);
}

static void fix_some(void *context, size_t index, int thread)
{
    struct fixer *fixer = context;
    size_t end = (index + 1) * SURFACES_AT_ONCE;
    for (size_t i = index * SURFACES_AT_ONCE; i < end && i < fixer->count; i++)
        fix_surface(fixer, i, thread);
}

size_t surfaces_fix_tjunctions(struct draw_surface *surfaces, size_t count, int threads)
{
    struct bsp_vertex *vertices = NULL;
    struct fixer fixer = {.surfaces = surfaces, .count = count};
    size_t added = 0;
    vertex_pool_init(&fixer.pool, &vertices, false);
    fill_pool(&fixer);
    find_corners(&fixer);
    fixer.found = memory_zalloc((size_t)threads, sizeof *fixer.found);
    fixer.added = memory_zalloc(count, sizeof *fixer.added);
    parallel_for(threads, (count + SURFACES_AT_ONCE - 1) / SURFACES_AT_ONCE, fix_some, &fixer);
    for (size_t i = 0; i < count; i++) {
        added += fixer.added[i];
        arrfree(fixer.corners[i]);
    }
    for (int i = 0; i < threads; i++)
        arrfree(fixer.found[i]);
    memory_free(fixer.found);
    memory_free(fixer.added);
    memory_free(fixer.corners);
    vertex_pool_free(&fixer.pool);
    arrfree(vertices);
    return added;
}
