#include "vbsp/faces/outline.h"

#include "common/core/array.h"

/* Points this close to an edge lie on it; farther ones were moved there or stick out. */
#define WELL 0.01

/* Of the points found on an edge, from `begin` on, keeps those that lie on it closely or, if there
 * are none, the nearest. Returns true if others were dropped; if not, nothing more lies on the
 * edges between them. */
static bool keep_nearest(struct vertex_on_edge **found, size_t begin, double near)
{
    size_t nearest = begin, kept = begin, end = arrlenu(*found);
    for (size_t i = begin; i < end; i++) {
        const struct vertex_on_edge *at = &(*found)[i], *best = &(*found)[nearest];
        if (at->off < best->off || (at->off <= best->off && at->vertex < best->vertex))
            nearest = i;
    }
    if (nearest < end && (*found)[nearest].off > WELL) {
        if ((*found)[nearest].off <= near)
            (*found)[kept++] = (*found)[nearest];
        arrsetlen(*found, kept);
        return true;
    }
    for (size_t i = begin; i < end; i++)
        if ((*found)[i].off <= WELL)
            (*found)[kept++] = (*found)[i];
    arrsetlen(*found, kept);
    return kept < end;
}

static void keep_only(const bool *only, struct vertex_on_edge **found, size_t begin)
{
    size_t kept = begin;
    for (size_t i = begin; i < arrlenu(*found); i++)
        if (only[(*found)[i].vertex])
            (*found)[kept++] = (*found)[i];
    arrsetlen(*found, kept);
}

void edge_points(const struct vertex_pool *pool, int from, int to, double near, const bool *only,
                 struct vertex_on_edge **scratch, int **walk)
{
    size_t begin = arrlenu(*scratch);
    vertex_pool_on_edge(pool, from, to, near + WELL, scratch);
    if (only)
        keep_only(only, scratch, begin);
    bool more = keep_nearest(scratch, begin, near);
    size_t end = arrlenu(*scratch);
    for (size_t i = begin; i < end; i++) {
        int vertex = (*scratch)[i].vertex;
        if (more)
            edge_points(pool, from, vertex, near, only, scratch, walk);
        arrput(*walk, ~vertex);
        from = vertex;
    }
    if (more && end > begin)
        edge_points(pool, from, to, near, only, scratch, walk);
    arrsetlen(*scratch, begin);
}

double outline_area(const struct vertex_pool *pool, const int *outline, int first, int count)
{
    int all = (int)arrlen(outline);
    struct vec3 origin = vertex_pool_at(pool, outline_vertex(outline[first])), sum = vec3(0, 0, 0);
    for (int i = 2; i < count; i++) {
        struct vec3 a = vertex_pool_at(pool, outline_vertex(outline[(first + i - 1) % all]));
        struct vec3 b = vertex_pool_at(pool, outline_vertex(outline[(first + i) % all]));
        sum = vec3_add(sum, vec3_cross(vec3_sub(b, origin), vec3_sub(a, origin)));
    }
    return vec3_length(sum) / 2;
}

static ptrdiff_t find_vertex(const int *points, int vertex)
{
    for (ptrdiff_t i = 0; i < arrlen(points); i++)
        if (outline_vertex(points[i]) == vertex)
            return i;
    return -1;
}

struct outline_loop *outline_loops(const int *walk)
{
    struct outline_loop *loops = NULL;
    int *open = NULL;
    for (size_t i = 0; i < arrlenu(walk) + 1; i++) {
        int point = walk[i % arrlenu(walk)];
        ptrdiff_t first = find_vertex(open, outline_vertex(point));
        if (first < 0) {
            arrput(open, point);
            continue;
        }
        struct outline_loop loop = {NULL};
        for (ptrdiff_t k = first; k < arrlen(open); k++)
            arrput(loop.points, open[k]);
        arrsetlen(open, (size_t)first + 1);
        if (arrlen(loop.points) >= 3)
            arrput(loops, loop);
        else
            arrfree(loop.points);
    }
    arrfree(open);
    return loops;
}
