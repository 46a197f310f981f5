#include "ballance/level/mesh_shells.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"

/* Less is the volume of a flat part. */
#define LEAST_VOLUME 1e-6

struct edge {
    int low, high; /* vertices */
    int triangle;
    bool forward; /* from low to high */
    bool joined;
    double angle; /* of the triangle around the edge */
};

/* A triangle by its vertices in ascending order. */
struct corners {
    int vertex[3];
    int triangle;
    bool turned; /* the other way round */
};

struct finder {
    const struct placed_mesh *mesh;
    int *parent;   /* of each triangle: union-find */
    bool *is_open; /* of each triangle */
    bool *is_out;  /* of each triangle: no part of the shells */
    int *pairs;    /* stb_ds array: triangles that lie back to back, two by two */
    double *work;  /* that is left */
    struct mesh_shells *out;
};

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The smaller number stays the root, so that parts are in the order of their triangles. */
static void join(struct finder *finder, int a, int b)
{
    a = root_of(finder->parent, a);
    b = root_of(finder->parent, b);
    if (a < b)
        finder->parent[b] = a;
    else
        finder->parent[a] = b;
}

/* --- triangles on the same vertices --- */

static int compare_corners(const void *a, const void *b)
{
    const struct corners *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->vertex[k] != y->vertex[k])
            return x->vertex[k] < y->vertex[k] ? -1 : 1;
    if (x->turned != y->turned)
        return x->turned ? 1 : -1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static struct corners sorted_corners(const struct placed_mesh *mesh, int triangle)
{
    struct corners c = {.triangle = triangle};
    memcpy(c.vertex, mesh->triangles[triangle].vertex, sizeof c.vertex);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (c.vertex[k] > c.vertex[k + 1]) {
                int swapped = c.vertex[k];
                c.vertex[k] = c.vertex[k + 1];
                c.vertex[k + 1] = swapped;
                c.turned = !c.turned;
            }
    return c;
}

static bool same_vertices(const struct corners *a, const struct corners *b)
{
    return !memcmp(a->vertex, b->vertex, sizeof a->vertex);
}

/* Of triangles that face the same way one is left; two that face each other leave the shells. */
static void take_group(struct finder *finder, const struct corners *group, size_t count)
{
    int first[2] = {-1, -1};
    for (size_t i = 0; i < count; i++) {
        int *kept = &first[group[i].turned];
        if (*kept >= 0) {
            finder->is_out[group[i].triangle] = true;
            finder->out->dropped++;
        } else {
            *kept = group[i].triangle;
        }
    }
    if (first[0] < 0 || first[1] < 0)
        return;
    for (int i = 0; i < 2; i++) {
        finder->is_out[first[i]] = true;
        arrput(finder->pairs, first[i]);
    }
}

static void take_doubles(struct finder *finder)
{
    size_t count = arrlenu(finder->mesh->triangles);
    struct corners *all = NULL;
    for (size_t i = 0; i < count; i++)
        arrput(all, sorted_corners(finder->mesh, (int)i));
    if (count)
        qsort(all, count, sizeof *all, compare_corners);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && same_vertices(&all[i], &all[end]);)
            end++;
        if (end > i + 1)
            take_group(finder, all + i, end - i);
    }
    arrfree(all);
}

/* --- edges --- */

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->angle < y->angle || x->angle > y->angle)
        return x->angle < y->angle ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static struct edge *list_edges(const struct finder *finder)
{
    struct edge *edges = NULL;
    for (size_t i = 0; i < arrlenu(finder->mesh->triangles); i++)
        for (int k = 0; k < 3 && !finder->is_out[i]; k++) {
            const int *v = finder->mesh->triangles[i].vertex;
            int from = v[k], to = v[(k + 1) % 3];
            struct edge edge = {.low = from < to ? from : to,
                                .high = from < to ? to : from,
                                .triangle = (int)i,
                                .forward = from < to};
            arrput(edges, edge);
        }
    if (arrlen(edges))
        qsort(edges, arrlenu(edges), sizeof *edges, compare_edges);
    return edges;
}

/* Sets the angles of triangles around their common edge. */
static void measure_angles(const struct placed_mesh *mesh, struct edge *edges, size_t count)
{
    struct vec3 start = mesh->vertices[edges[0].low], end = mesh->vertices[edges[0].high];
    struct vec3 along = vec3_normalize(vec3_sub(end, start));
    struct vec3 x = vec3_major_axis(along) == 2 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    x = vec3_normalize(vec3_mad(x, along, -vec3_dot(x, along)));
    struct vec3 y = vec3_cross(along, x);
    for (size_t i = 0; i < count; i++) {
        const int *v = mesh->triangles[edges[i].triangle].vertex;
        for (int k = 0; k < 3; k++)
            if (v[k] != edges[i].low && v[k] != edges[i].high) {
                struct vec3 to = vec3_sub(mesh->vertices[v[k]], start);
                edges[i].angle = portable_atan2(vec3_dot(to, y), vec3_dot(to, x));
            }
    }
    qsort(edges, count, sizeof *edges, compare_edges);
}

/* The inside next to a triangle that runs forward is at greater angles, and ends at the next one
 * that runs back, which may be that of the next round. */
static void join_around(struct finder *finder, struct edge *edges, size_t count)
{
    int *waiting = NULL;
    measure_angles(finder->mesh, edges, count);
    for (size_t i = 0; i < 2 * count; i++) {
        struct edge *edge = &edges[i % count];
        if (edge->forward && i < count) {
            arrput(waiting, edge->triangle);
        } else if (!edge->forward && !edge->joined && arrlen(waiting)) {
            join(finder, arrpop(waiting), edge->triangle);
            edge->joined = true;
        }
    }
    arrfree(waiting);
}

static void join_edge(struct finder *finder, struct edge *edges, size_t count)
{
    size_t forward = 0;
    for (size_t i = 0; i < count; i++)
        forward += edges[i].forward;
    if (count == 2 && forward == 1) {
        join(finder, edges[0].triangle, edges[1].triangle);
    } else if (2 * forward == count) {
        join_around(finder, edges, count);
    } else {
        for (size_t i = 0; i < count; i++) {
            join(finder, edges[0].triangle, edges[i].triangle);
            finder->is_open[edges[i].triangle] = true;
        }
    }
}

static void join_edges(struct finder *finder)
{
    struct edge *edges = list_edges(finder);
    size_t count = arrlenu(edges);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1;
             end < count && edges[end].low == edges[i].low && edges[end].high == edges[i].high;)
            end++;
        join_edge(finder, edges + i, end - i);
    }
    arrfree(edges);
}

/* --- parts --- */

static double solid_angle(struct vec3 a, struct vec3 b, struct vec3 c)
{
    double x = vec3_length(a), y = vec3_length(b), z = vec3_length(c);
    double volume = vec3_dot(a, vec3_cross(b, c));
    double rest = x * y * z + vec3_dot(a, b) * z + vec3_dot(b, c) * x + vec3_dot(c, a) * y;
    return 2 * portable_atan2(volume, rest);
}

double mesh_winding_number(const struct placed_mesh *mesh, const int *triangles, struct vec3 p)
{
    double sum = 0;
    for (size_t i = 0; i < arrlenu(triangles); i++) {
        const struct placed_triangle *t = &mesh->triangles[triangles[i]];
        sum -= solid_angle(vec3_sub(placed_corner(mesh, t, 0), p),
                           vec3_sub(placed_corner(mesh, t, 1), p),
                           vec3_sub(placed_corner(mesh, t, 2), p));
    }
    return sum / (4 * PI);
}

static void measure(const struct placed_mesh *mesh, struct mesh_shell *shell)
{
    struct vec3 middle = mesh->vertices[mesh->triangles[shell->triangles[0]].vertex[0]];
    shell->bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(shell->triangles); i++) {
        const struct placed_triangle *t = &mesh->triangles[shell->triangles[i]];
        struct vec3 p[3];
        for (int k = 0; k < 3; k++) {
            bounds_add_point(&shell->bounds, placed_corner(mesh, t, k));
            p[k] = vec3_sub(placed_corner(mesh, t, k), middle);
        }
        shell->volume -= vec3_dot(p[0], vec3_cross(p[1], p[2])) / 6;
    }
}

/* Returns the closed parts, whose volume is negative when they look inside. */
static struct mesh_shell *list_closed(struct finder *finder)
{
    size_t count = arrlenu(finder->mesh->triangles);
    struct mesh_shell *shells = NULL;
    int *number = NULL; /* of the shell of each root, -1: open */
    arrsetlen(number, count);
    for (size_t i = 0; i < count; i++)
        if (finder->is_open[i])
            finder->is_open[root_of(finder->parent, (int)i)] = true;
    for (size_t i = 0; i < count; i++) {
        int root = root_of(finder->parent, (int)i);
        if (finder->is_out[i])
            continue;
        if ((int)i == root) {
            number[i] = finder->is_open[i] ? -1 : (int)arrlen(shells);
            if (!finder->is_open[i])
                arrput(shells, (struct mesh_shell){0});
        }
        if (number[root] < 0)
            arrput(finder->out->open, (int)i);
        else
            arrput(shells[number[root]].triangles, (int)i);
    }
    for (size_t i = 0; i < arrlenu(shells); i++)
        measure(finder->mesh, &shells[i]);
    arrfree(number);
    return shells;
}

static void append(int **to, const int *from)
{
    for (size_t i = 0; i < arrlenu(from); i++)
        arrput(*to, from[i]);
}

/* Returns true when the point is within the solid, or on its surface. */
static bool encloses(struct finder *finder, const struct mesh_shell *solid, struct vec3 p)
{
    if (!bounds_contains(&solid->bounds, p) || *finder->work < 0)
        return false;
    *finder->work -= (double)arrlen(solid->triangles);
    return mesh_winding_number(finder->mesh, solid->triangles, p) > 0.25;
}

/* Returns the smallest solid that the shell is in, or NULL. */
static struct mesh_shell *solid_around(struct finder *finder, const struct mesh_shell *shell)
{
    struct mesh_shell *best = NULL;
    struct vec3 p = placed_corner(finder->mesh, &finder->mesh->triangles[shell->triangles[0]], 0);
    for (size_t i = 0; i < arrlenu(finder->out->solids); i++) {
        struct mesh_shell *solid = &finder->out->solids[i];
        bool fits = solid->volume > -shell->volume && (!best || solid->volume < best->volume);
        if (fits && encloses(finder, solid, p))
            best = solid;
    }
    return best;
}

/* Cavities become part of the solid around them; other parts that look inside are open, as flat
 * ones are. */
static void sort_shells(struct finder *finder, struct mesh_shell *shells)
{
    for (size_t i = 0; i < arrlenu(shells); i++)
        if (shells[i].volume > LEAST_VOLUME)
            arrput(finder->out->solids, shells[i]);
    for (size_t i = 0; i < arrlenu(shells); i++) {
        struct mesh_shell *shell = &shells[i];
        if (shell->volume > LEAST_VOLUME)
            continue;
        struct mesh_shell *around =
            shell->volume < -LEAST_VOLUME ? solid_around(finder, shell) : NULL;
        append(around ? &around->triangles : &finder->out->open, shell->triangles);
        if (around)
            around->volume += shell->volume;
        else if (shell->volume < -LEAST_VOLUME)
            finder->out->inside_out += arrlenu(shell->triangles);
        arrfree(shell->triangles);
    }
}

static bool is_in_solid(struct finder *finder, int triangle)
{
    const struct placed_mesh *mesh = finder->mesh;
    const struct placed_triangle *t = &mesh->triangles[triangle];
    struct vec3 p = vec3_add(placed_corner(mesh, t, 0),
                             vec3_add(placed_corner(mesh, t, 1), placed_corner(mesh, t, 2)));
    p = vec3_scale(p, 1.0 / 3);
    for (size_t i = 0; i < arrlenu(finder->out->solids); i++)
        if (encloses(finder, &finder->out->solids[i], p))
            return true;
    return false;
}

static int compare_numbers(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Triangles back to back are a wall within a solid that nobody sees, or a sheet with two sides. */
static void sort_pairs(struct finder *finder)
{
    for (size_t i = 0; i + 1 < arrlenu(finder->pairs); i += 2) {
        if (is_in_solid(finder, finder->pairs[i])) {
            finder->out->dropped += 2;
            continue;
        }
        arrput(finder->out->open, finder->pairs[i]);
        arrput(finder->out->open, finder->pairs[i + 1]);
    }
    if (arrlen(finder->out->open))
        qsort(finder->out->open, arrlenu(finder->out->open), sizeof(int), compare_numbers);
}

void mesh_shells_find(const struct placed_mesh *mesh, double *work, struct mesh_shells *out)
{
    size_t count = arrlenu(mesh->triangles);
    struct arena scratch = {0};
    struct finder finder = {.mesh = mesh,
                            .parent = ARENA_ARRAY(&scratch, int, count),
                            .is_open = ARENA_ARRAY(&scratch, bool, count),
                            .is_out = ARENA_ARRAY(&scratch, bool, count),
                            .work = work,
                            .out = out};
    *out = (struct mesh_shells){0};
    for (size_t i = 0; i < count; i++)
        finder.parent[i] = (int)i;
    take_doubles(&finder);
    join_edges(&finder);
    struct mesh_shell *shells = list_closed(&finder);
    sort_shells(&finder, shells);
    sort_pairs(&finder);
    arrfree(shells);
    arrfree(finder.pairs);
    arena_free(&scratch);
}

void mesh_shells_free(struct mesh_shells *shells)
{
    for (size_t i = 0; i < arrlenu(shells->solids); i++)
        arrfree(shells->solids[i].triangles);
    arrfree(shells->solids);
    arrfree(shells->open);
}
