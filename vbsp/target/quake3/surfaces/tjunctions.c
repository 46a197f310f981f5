#include "vbsp/target/quake3/surfaces/tjunctions.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/parallel/parallel.h"
#include "vbsp/faces/outline.h"
#include "vbsp/target/quake3/surfaces/surface.h"

enum { SURFACES_AT_ONCE = 64 }; /* per thread: fewer are not worth a parallel loop */

struct tjunction_job {
    struct vertex_pool pool;
    struct draw_surface *surfaces;
    size_t count;
    int **corners; /* one per surface: an stb_ds array, the pool's number per vertex */
    struct vertex_on_edge **found; /* one per thread: an stb_ds array, scratch */
    size_t *added;                 /* one per surface */
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
    return portable_bits_order(one, two, sizeof *one); /* zeros have signs */
}

/* Adds points by position, so that it is independent of the order of the surfaces to which of
 * several close points the others are snapped. Frees them. */
static void add_to_pool(struct vertex_pool *pool, struct vec3 *points)
{
    if (arrlenu(points) > 1)
        qsort(points, arrlenu(points), sizeof *points, compare_points);
    for (size_t i = 0; i < arrlenu(points); i++)
        if (i == 0 || compare_points(&points[i - 1], &points[i]))
            vertex_pool_find(pool, points[i]);
    arrfree(points);
}

/* Appends the points along a patch's border where its curves begin and end: at full detail the
 * engine draws a corner there, even if the border is straight. */
static void add_patch_border(const struct draw_surface *patch, struct vec3 **points)
{
    int columns = patch->patch_columns, rows = patch->patch_rows;
    for (int row = 0; row < rows; row += 2)
        for (int column = 0; column < columns; column += 2)
            if (row == 0 || row == rows - 1 || column == 0 || column == columns - 1)
                arrput(*points, patch->vertices[row * columns + column].p);
}

/* Corners first: they stay where they are when a patch ends beside them. */
static void fill_pool(struct tjunction_job *job)
{
    struct vec3 *corners = NULL, *borders = NULL;
    for (size_t i = 0; i < job->count; i++) {
        const struct draw_surface *surface = &job->surfaces[i];
        for (size_t k = 0; takes_part(surface) && k < arrlenu(surface->vertices); k++)
            arrput(corners, surface->vertices[k].p);
        if (surface->type == SURFACE_PATCH && !surface->no_tjunctions)
            add_patch_border(surface, &borders);
    }
    add_to_pool(&job->pool, corners);
    add_to_pool(&job->pool, borders);
}

static void find_corners(struct tjunction_job *job)
{
    job->corners = memory_zalloc(job->count, sizeof *job->corners);
    for (size_t i = 0; i < job->count; i++) {
        const struct draw_surface *surface = &job->surfaces[i];
        for (size_t k = 0; takes_part(surface) && k < arrlenu(surface->vertices); k++)
            arrput(job->corners[i], vertex_pool_find(&job->pool, surface->vertices[k].p));
    }
}

/* The work on one surface. */
struct surface_fix {
    const struct tjunction_job *job;
    struct draw_surface *surface;
    const int *corners; /* the pool's number per vertex, before */
    struct vertex_on_edge **found;
    struct draw_vertex *vertices; /* stb_ds array: after */
    int *indices;                 /* stb_ds array */
    struct new_point *points;     /* stb_ds array: points on edges, shared by adjacent triangles */
    int *slots;                   /* stb_ds array: chains of points, by vertex */
    size_t added;
};

/* A point on an edge of the pool, from < to. */
struct new_point {
    int from, to, vertex;
    int made; /* in vertices */
    int next; /* or -1 */
};

static size_t slot_of(const struct surface_fix *fix, int vertex)
{
    return (size_t)hash_u64((uint64_t)vertex) & (arrlenu(fix->slots) - 1);
}

static int find_point(const struct surface_fix *fix, const struct new_point *wanted)
{
    if (!arrlenu(fix->slots))
        return -1;
    for (int i = fix->slots[slot_of(fix, wanted->vertex)]; i >= 0; i = fix->points[i].next) {
        const struct new_point *point = &fix->points[i];
        if (point->vertex == wanted->vertex && point->from == wanted->from &&
            point->to == wanted->to)
            return point->made;
    }
    return -1;
}

static void keep_point(struct surface_fix *fix, struct new_point point)
{
    size_t slots = 16;
    while (slots < arrlenu(fix->surface->indices))
        slots *= 2;
    while (arrlenu(fix->slots) < slots)
        arrput(fix->slots, -1);
    int *slot = &fix->slots[slot_of(fix, point.vertex)];
    point.next = *slot;
    *slot = (int)arrlen(fix->points);
    arrput(fix->points, point);
}

/* Position of a point between two corners, 0 to 1. */
static double position_between(struct vec3 from, struct vec3 to, struct vec3 p)
{
    struct vec3 way = vec3_sub(to, from);
    double square = vec3_dot(way, way);
    double t = square > 0 ? vec3_dot(way, vec3_sub(p, from)) / square : 0;
    return portable_fmin(portable_fmax(t, 0), 1);
}

/* A vertex on the edge of two others; the same for both adjacent triangles. */
static struct draw_vertex between(const struct surface_fix *fix, int a, int b, int vertex)
{
    if (fix->corners[a] > fix->corners[b]) {
        int swapped = a;
        a = b;
        b = swapped;
    }
    const struct draw_vertex *from = &fix->vertices[a], *to = &fix->vertices[b];
    struct vec3 p = vertex_pool_at(&fix->job->pool, vertex);
    struct draw_vertex made = draw_vertex_lerp(from, to, position_between(from->p, to->p, p));
    made.p = p;
    return made;
}

/* An outline with the points on its edges; `places` has each point's vertex, or -1 - edge. */
struct walk {
    int *points; /* stb_ds array: of the pool, complements on edges */
    int *edges;  /* stb_ds array: side of the outline */
};

static struct walk walk_around(const struct surface_fix *fix, const int *outline, int count)
{
    struct walk walk = {NULL, NULL};
    for (int i = 0; i < count; i++) {
        int from = fix->corners[outline[i]], to = fix->corners[outline[(i + 1) % count]];
        if (from == to)
            continue;
        arrput(walk.points, from);
        edge_points(&fix->job->pool, from, to, TJUNCTION_NEAR, NULL, fix->found, &walk.points);
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

/* The vertex of a point of a walk. */
static int vertex_of_point(struct surface_fix *fix, const struct walk *walk, const int *outline,
                           int count, int point)
{
    size_t at = 0;
    while (outline_vertex(walk->points[at]) != outline_vertex(point))
        at++;
    int a = outline[walk->edges[at]], b = outline[(walk->edges[at] + 1) % count];
    if (walk->points[at] >= 0)
        return a;
    int from = fix->corners[a], to = fix->corners[b], vertex = outline_vertex(point);
    struct new_point new = {from < to ? from : to, from < to ? to : from, vertex, 0, -1};
    int known = find_point(fix, &new);
    if (known >= 0)
        return known;
    struct draw_vertex added = between(fix, a, b, vertex);
    new.made = (int)arrlen(fix->vertices);
    arrput(fix->vertices, added);
    keep_point(fix, new);
    fix->added++;
    return new.made;
}

/* The loops of an outline, with vertices for points of the pool. */
static struct outline_loop *cut_outline(struct surface_fix *fix, const int *outline, int count)
{
    struct walk walk = walk_around(fix, outline, count);
    struct outline_loop *loops = arrlenu(walk.points) ? outline_loops(walk.points) : NULL;
    for (size_t i = 0; i < arrlenu(loops); i++)
        for (size_t k = 0; k < arrlenu(loops[i].points); k++)
            loops[i].points[k] = vertex_of_point(fix, &walk, outline, count, loops[i].points[k]);
    walk_free(&walk);
    return loops;
}

static void add_triangles(struct surface_fix *fix, const int *loop)
{
    struct vec3 *points = NULL;
    int *indices = NULL;
    for (size_t i = 0; i < arrlenu(loop); i++)
        arrput(points, fix->vertices[loop[i]].p);
    triangulate_outline(points, (int)arrlen(points), &indices);
    for (size_t i = 0; i < arrlenu(indices); i++)
        arrput(fix->indices, loop[indices[i]]);
    arrfree(points);
    arrfree(indices);
}

static void loops_free(struct outline_loop *loops)
{
    for (size_t i = 0; i < arrlenu(loops); i++)
        arrfree(loops[i].points);
    arrfree(loops);
}

/* A polygon stays one if possible; if it is split into several, they are triangulated here. */
static void fix_polygon(struct surface_fix *fix)
{
    int *outline = NULL, count = (int)arrlen(fix->surface->vertices);
    for (int i = 0; i < count; i++)
        arrput(outline, i);
    struct outline_loop *loops = cut_outline(fix, outline, count);
    arrfree(outline);
    if (arrlenu(loops) > 1) {
        for (size_t i = 0; i < arrlenu(loops); i++)
            add_triangles(fix, loops[i].points);
    } else {
        struct draw_vertex *vertices = NULL;
        for (size_t i = 0; arrlenu(loops) && i < arrlenu(loops[0].points); i++)
            arrput(vertices, fix->vertices[loops[0].points[i]]);
        arrfree(fix->vertices);
        fix->vertices = vertices;
    }
    loops_free(loops);
}

static void fix_triangles(struct surface_fix *fix)
{
    for (size_t i = 0; i + 2 < arrlenu(fix->surface->indices); i += 3) {
        struct outline_loop *loops = cut_outline(fix, fix->surface->indices + i, 3);
        for (size_t k = 0; k < arrlenu(loops); k++)
            add_triangles(fix, loops[k].points);
        loops_free(loops);
    }
}

static void fix_surface(struct tjunction_job *job, size_t index, int thread)
{
    struct draw_surface *surface = &job->surfaces[index];
    if (!takes_part(surface))
        return;
    struct surface_fix fix = {.job = job,
                              .surface = surface,
                              .corners = job->corners[index],
                              .found = &job->found[thread]};
    for (size_t i = 0; i < arrlenu(surface->vertices); i++) {
        arrput(fix.vertices, surface->vertices[i]);
        fix.vertices[i].p = vertex_pool_at(&job->pool, fix.corners[i]);
    }
    if (surface->indices)
        fix_triangles(&fix);
    else
        fix_polygon(&fix);
    draw_surface_free(surface);
    surface->vertices = fix.vertices;
    surface->indices = fix.indices;
    job->added[index] = fix.added;
    arrfree(fix.points);
    arrfree(fix.slots);
}

static void fix_range(void *context, size_t index, int thread)
{
    struct tjunction_job *job = context;
    size_t end = (index + 1) * SURFACES_AT_ONCE;
    for (size_t i = index * SURFACES_AT_ONCE; i < end && i < job->count; i++)
        fix_surface(job, i, thread);
}

size_t surfaces_fix_tjunctions(struct draw_surface *surfaces, size_t count, int threads)
{
    struct bsp_vertex *vertices = NULL;
    struct tjunction_job job = {.surfaces = surfaces, .count = count};
    size_t added = 0;
    vertex_pool_init(&job.pool, &vertices, false);
    fill_pool(&job);
    find_corners(&job);
    job.found = memory_zalloc((size_t)threads, sizeof *job.found);
    job.added = memory_zalloc(count, sizeof *job.added);
    parallel_for(threads, (count + SURFACES_AT_ONCE - 1) / SURFACES_AT_ONCE, fix_range, &job);
    for (size_t i = 0; i < count; i++) {
        added += job.added[i];
        arrfree(job.corners[i]);
    }
    for (int i = 0; i < threads; i++)
        arrfree(job.found[i]);
    memory_free(job.found);
    memory_free(job.added);
    memory_free(job.corners);
    vertex_pool_free(&job.pool);
    arrfree(vertices);
    return added;
}
