/* Thin brushes behind surfaces that enclose nothing. */
#include "ballance/level/level_maker.h"
#include "common/core/array.h"

/* Polygons of a plane that are joined: their number is tried by pairs. */
enum { JOINED_MAX = 512, CORNERS_MAX = 64 };

/* The least sine of a corner that is one. */
#define CORNER 1e-4

struct loop {
    struct vec3 points[CORNERS_MAX]; /* clockwise */
    int count;
};

static bool same_point(struct vec3 a, struct vec3 b)
{
    return !(vec3_distance(a, b) > 0);
}

/* Returns whether the corner turns as those of a convex polygon do: 1, not at all: 0, or back: -1.
 */
static int corner_turn(const struct loop *loop, int i, struct vec3 normal)
{
    struct vec3 p = loop->points[i];
    struct vec3 in = vec3_normalize(vec3_sub(p, loop->points[(i + loop->count - 1) % loop->count]));
    struct vec3 out = vec3_normalize(vec3_sub(loop->points[(i + 1) % loop->count], p));
    double turn = -vec3_dot(vec3_cross(in, out), normal);
    return turn > CORNER ? 1 : turn < -CORNER ? -1 : 0;
}

static void drop_point(struct loop *loop, int i)
{
    loop->count--;
    memmove(&loop->points[i], &loop->points[i + 1],
            (size_t)(loop->count - i) * sizeof *loop->points);
}

/* Removes corners on straight lines; returns false when it is not convex. */
static bool tidy(struct loop *loop, struct vec3 normal)
{
    for (int i = loop->count - 1; i >= 0 && loop->count > 3; i--)
        if (corner_turn(loop, i, normal) == 0)
            drop_point(loop, i);
    for (int i = 0; i < loop->count; i++)
        if (corner_turn(loop, i, normal) <= 0)
            return false;
    return true;
}

/* Joins two loops along an edge of both, if they have one and the whole is convex. */
static bool join_loops(const struct loop *a, const struct loop *b, struct vec3 normal,
                       struct loop *out)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++) {
            if (!same_point(a->points[i], b->points[(k + 1) % b->count]) ||
                !same_point(a->points[(i + 1) % a->count], b->points[k]) ||
                a->count + b->count - 2 > CORNERS_MAX)
                continue;
            out->count = 0;
            for (int j = 1; j <= a->count; j++)
                out->points[out->count++] = a->points[(i + j) % a->count];
            for (int j = 2; j < b->count; j++)
                out->points[out->count++] = b->points[(k + j) % b->count];
            return tidy(out, normal);
        }
    return false;
}

static void join_all(struct loop *loops, struct vec3 normal, double *work)
{
    bool joined = arrlen(loops) <= JOINED_MAX;
    while (joined) {
        joined = false;
        for (size_t i = 0; i < arrlenu(loops); i++)
            for (size_t k = i + 1; k < arrlenu(loops) && *work > 0; k++) {
                struct loop both;
                *work -= loops[i].count;
                if (!join_loops(&loops[i], &loops[k], normal, &both))
                    continue;
                loops[i] = both;
                arrdel(loops, k);
                k = i;
                joined = true;
            }
    }
}

static void add_side(struct piece_side **sides, struct vec3 a, struct vec3 b, struct vec3 c,
                     int mapping)
{
    struct piece_side side = {.drawn = {.points = {a, b, c}}, .mapping = mapping};
    if (plane_from_points(a, b, c, &side.drawn.plane))
        arrput(*sides, side);
}

static void add_prism(struct level_maker *maker, const struct loop *loop, struct vec3 normal,
                      const struct texture_mapping *mapping, struct map_entity *entity)
{
    struct piece_side *sides = NULL;
    struct vec3 down = vec3_scale(normal, -PRISM_DEPTH);
    const struct vec3 *p = loop->points;
    add_side(&sides, p[0], p[1], p[2], 0);
    add_side(&sides, vec3_add(p[2], down), vec3_add(p[1], down), vec3_add(p[0], down), -1);
    for (int i = 0; i < loop->count; i++) {
        struct vec3 from = p[i], to = p[(i + 1) % loop->count];
        add_side(&sides, vec3_add(from, down), to, from, -1);
    }
    if ((int)arrlen(sides) == loop->count + 2)
        maker_add_solid(maker, sides, mapping, entity);
    arrfree(sides);
}

static struct loop loop_of(const struct placed_mesh *mesh, int triangle)
{
    struct loop loop = {.count = 3};
    for (int k = 0; k < 3; k++)
        loop.points[k] = placed_corner(mesh, &mesh->triangles[triangle], k);
    return loop;
}

/* Those of a mapping. */
static void add_mapping(struct level_maker *maker, const struct solid_surface *surface,
                        const struct surface_plane *plane, int mapping, struct map_entity *entity)
{
    struct loop *loops = NULL;
    struct vec3 normal = plane->drawn.plane.normal;
    for (size_t i = 0; i < arrlenu(plane->triangles); i++)
        if (surface->mapping_of[plane->triangles[i]] == mapping)
            arrput(loops, loop_of(surface->mesh, plane->triangles[i]));
    join_all(loops, normal, &maker->work);
    for (size_t i = 0; i < arrlenu(loops); i++)
        add_prism(maker, &loops[i], normal, &surface->mappings[mapping], entity);
    arrfree(loops);
}

static void add_plane(struct level_maker *maker, const struct solid_surface *surface,
                      const struct surface_plane *plane, struct map_entity *entity)
{
    int low = (int)arrlen(surface->mappings), high = -1;
    for (size_t i = 0; i < arrlenu(plane->triangles); i++) {
        int mapping = surface->mapping_of[plane->triangles[i]];
        low = mapping < low ? mapping : low;
        high = mapping > high ? mapping : high;
    }
    for (int i = low; i <= high; i++)
        add_mapping(maker, surface, plane, i, entity);
}

/* Surfaces with many planes are curved: few triangles could be joined. */
static void add_each(struct level_maker *maker, const struct placed_mesh *mesh,
                     const int *triangles, struct map_entity *entity)
{
    for (size_t i = 0; i < arrlenu(triangles); i++) {
        const struct placed_triangle *triangle = &mesh->triangles[triangles[i]];
        struct texture_mapping mapping;
        if (!(triangle->area > 0))
            continue;
        struct loop loop = loop_of(mesh, triangles[i]);
        mapping_of_triangle(mesh, triangle, &mapping);
        add_prism(maker, &loop, triangle->plane.normal, &mapping, entity);
    }
}

void maker_add_prisms(struct level_maker *maker, const struct placed_mesh *mesh,
                      const int *triangles, struct map_entity *entity)
{
    struct solid_surface surface;
    if (!solid_surface_make(mesh, triangles, &surface)) {
        add_each(maker, mesh, triangles, entity);
        return;
    }
    for (size_t i = 0; i < arrlenu(surface.planes); i++)
        add_plane(maker, &surface, &surface.planes[i], entity);
    solid_surface_free(&surface);
}
