#include "ballance/level/solid_surface.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

enum { LEAST_SIDES = 4 };

static struct drawn_plane drawn_plane_flip(const struct drawn_plane *drawn)
{
    return (struct drawn_plane){.plane = plane_flip(&drawn->plane),
                                .points = {drawn->points[2], drawn->points[1], drawn->points[0]}};
}

static struct drawn_plane axial_plane(const struct bounds *bounds, int axis, bool up)
{
    struct drawn_plane drawn = {0};
    struct vec3 corner = up ? bounds->maxs : bounds->mins,
                size = vec3_sub(bounds->maxs, bounds->mins);
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    for (int i = 0; i < 3; i++)
        drawn.points[i] = corner;
    drawn.points[up ? 2 : 0].e[x] += size.e[x] + 1;
    drawn.points[up ? 0 : 2].e[y] += size.e[y] + 1;
    (void)plane_from_points(drawn.points[0], drawn.points[1], drawn.points[2], &drawn.plane);
    if ((drawn.plane.normal.e[axis] > 0) != up)
        drawn = drawn_plane_flip(&drawn);
    return drawn;
}

/* The sides of a box are cut out of each other's planes. */
void cell_box(const struct bounds *bounds, struct arena *arena, struct convex_cell *out)
{
    struct plane planes[6];
    struct cell_side sides[6];
    *out = (struct convex_cell){0};
    for (int i = 0; i < 6; i++) {
        sides[i].drawn = axial_plane(bounds, i / 2, i % 2 == 1);
        planes[i] = sides[i].drawn.plane;
    }
    for (size_t i = 0; i < 6; i++) {
        sides[i].winding = winding_of_side(arena, planes, 6, i, CELL_EPSILON);
        if (sides[i].winding)
            arrput(out->sides, sides[i]);
    }
}

void cell_free(struct convex_cell *cell)
{
    arrfree(cell->sides);
}

/* The new side of a part: the plane within the others. */
static void close_part(struct convex_cell *part, const struct drawn_plane *by, struct arena *arena)
{
    struct winding *winding = winding_from_plane(arena, &by->plane);
    for (size_t i = 0; i < arrlenu(part->sides) && winding; i++)
        winding = winding_clip_behind(arena, winding, &part->sides[i].drawn.plane, CELL_EPSILON);
    if (winding)
        arrput(part->sides, ((struct cell_side){*by, winding}));
    if (arrlen(part->sides) < LEAST_SIDES)
        arrsetlen(part->sides, 0);
}

static bool side_lies_on(const struct winding *winding, const struct plane *plane)
{
    return winding_classify(winding, plane, CELL_EPSILON) == WINDING_ON;
}

void cell_cut(const struct convex_cell *cell, const struct drawn_plane *by, struct arena *arena,
              struct convex_cell *front, struct convex_cell *back)
{
    struct convex_cell parts[2] = {{0}, {0}};
    for (size_t i = 0; i < arrlenu(cell->sides); i++) {
        struct cell_side side = cell->sides[i];
        struct winding *halves[2] = {NULL, NULL};
        if (side_lies_on(side.winding, &by->plane))
            halves[vec3_dot(side.drawn.plane.normal, by->plane.normal) > 0] = side.winding;
        else
            winding_clip(arena, side.winding, &by->plane, CELL_EPSILON, &halves[0], &halves[1]);
        for (int k = 0; k < 2; k++) {
            side.winding = halves[k];
            if (halves[k])
                arrput(parts[k].sides, side);
        }
    }
    /* A part that is the whole has its sides already. */
    const struct drawn_plane turned = drawn_plane_flip(by);
    bool cuts = arrlen(parts[0].sides) > 1 && arrlen(parts[1].sides) > 1;
    if (cuts) {
        close_part(&parts[0], &turned, arena);
        close_part(&parts[1], by, arena);
    }
    for (int k = 0; k < 2; k++)
        if (!cuts && arrlen(parts[k].sides) < LEAST_SIDES)
            arrsetlen(parts[k].sides, 0);
    struct convex_cell *outs[2] = {front, back};
    for (int k = 0; k < 2; k++)
        if (outs[k])
            *outs[k] = parts[k];
        else
            arrfree(parts[k].sides);
}

struct vec3 cell_middle(const struct convex_cell *cell)
{
    struct vec3 sum = vec3(0, 0, 0);
    double count = 0;
    for (size_t i = 0; i < arrlenu(cell->sides); i++)
        for (int k = 0; k < cell->sides[i].winding->count; k++) {
            sum = vec3_add(sum, cell->sides[i].winding->points[k]);
            count++;
        }
    return count > 0 ? vec3_scale(sum, 1 / count) : sum;
}

double cell_volume(const struct convex_cell *cell)
{
    struct vec3 middle = cell_middle(cell);
    double volume = 0;
    for (size_t i = 0; i < arrlenu(cell->sides); i++) {
        const struct cell_side *side = &cell->sides[i];
        volume += winding_area(side->winding) * -plane_distance(&side->drawn.plane, middle) / 3;
    }
    return volume;
}

/* A solid with more planes, or with more textures on one, is not made of brushes. */
enum { SOLID_PLANES_MAX = 1024, PLANE_MAPPINGS_MAX = 256 };

/* Units in the last place that coordinates are off, for the largest of them. */
#define ROUNDING (4 * 0x1p-23)

void mapping_of_triangle(const struct placed_mesh *mesh, const struct placed_triangle *triangle,
                         struct texture_mapping *out)
{
    struct vec3 p = placed_corner(mesh, triangle, 0);
    struct vec3 a = vec3_sub(placed_corner(mesh, triangle, 1), p),
                b = vec3_sub(placed_corner(mesh, triangle, 2), p), normal = vec3_cross(a, b);
    double square = vec3_dot(normal, normal);
    *out = (struct texture_mapping){.material = triangle->material};
    for (int k = 0; k < 2 && square > 0; k++) {
        double first = triangle->uv[1][k] - triangle->uv[0][k],
               second = triangle->uv[2][k] - triangle->uv[0][k];
        out->rows[k] = vec3_add(vec3_scale(vec3_cross(b, normal), first / square),
                                vec3_scale(vec3_cross(normal, a), second / square));
        out->shifts[k] = triangle->uv[0][k] - vec3_dot(out->rows[k], p);
    }
}

/* Sets how far the mapping is off at the corners of a triangle, less whole images. */
static double mapping_error(const struct placed_mesh *mesh, const struct placed_triangle *triangle,
                            const struct texture_mapping *mapping, double whole[2])
{
    double max = 0;
    for (int k = 0; k < 2; k++) {
        double off[3];
        for (int i = 0; i < 3; i++)
            off[i] = triangle->uv[i][k] - mapping->shifts[k] -
                     vec3_dot(mapping->rows[k], placed_corner(mesh, triangle, i));
        whole[k] = rint(off[0]);
        for (int i = 0; i < 3; i++)
            max = portable_fmax(max, fabs(off[i] - whole[k]));
    }
    return max;
}

/* --- planes --- */

struct ranked {
    double area;
    int triangle;
};

static int by_area(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->area < y->area || x->area > y->area)
        return x->area > y->area ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static bool lies_on(const struct placed_mesh *mesh, const struct placed_triangle *triangle,
                    const struct plane *plane, double tolerance)
{
    if (vec3_dot(triangle->plane.normal, plane->normal) <= 0)
        return false;
    for (int k = 0; k < 3; k++)
        if (fabs(plane_distance(plane, placed_corner(mesh, triangle, k))) > tolerance)
            return false;
    return true;
}

bool is_thin_triangle(const struct placed_mesh *mesh, const struct placed_triangle *triangle)
{
    double longest = 0;
    for (int i = 0; i < 3; i++)
        longest = portable_fmax(longest, vec3_distance(placed_corner(mesh, triangle, i),
                                                       placed_corner(mesh, triangle, (i + 1) % 3)));
    return 2 * triangle->area < 2 * MESH_TOLERANCE * longest;
}

static void draw_by(const struct placed_mesh *mesh, const struct placed_triangle *triangle,
                    struct drawn_plane *out)
{
    out->plane = triangle->plane;
    for (int k = 0; k < 3; k++)
        out->points[k] = placed_corner(mesh, triangle, k);
}

/* How far vertices are off a plane that they were made on: their file has 32-bit floats. */
static double flatness(const struct solid_surface *surface)
{
    double largest = 0;
    for (size_t i = 0; i < arrlenu(surface->triangles); i++)
        for (int k = 0; k < 3; k++) {
            const struct placed_triangle *t = &surface->mesh->triangles[surface->triangles[i]];
            for (int axis = 0; axis < 3; axis++)
                largest = portable_fmax(largest, fabs(placed_corner(surface->mesh, t, k).e[axis]));
        }
    return portable_fmin(portable_fmax(CELL_EPSILON, ROUNDING * largest), MESH_TOLERANCE);
}

/* A slight bend at which the texture changes is an edge between two sides; but a triangle may be
 * too thin to tell its plane. */
static bool is_bent(const struct solid_surface *surface, const struct placed_triangle *triangle,
                    const struct surface_plane *plane)
{
    const struct placed_mesh *mesh = surface->mesh;
    const struct placed_triangle *first = &mesh->triangles[plane->triangles[0]];
    struct texture_mapping mapping;
    double whole[2];
    if (is_thin_triangle(mesh, triangle))
        return false;
    mapping_of_triangle(mesh, first, &mapping);
    return triangle->material != first->material ||
           mapping_error(mesh, triangle, &mapping, whole) > MAPPING_TOLERANCE;
}

/* Returns the number of the plane that the triangle is on, or the count of planes. */
static size_t find_plane(const struct solid_surface *surface,
                         const struct placed_triangle *triangle, double flat)
{
    size_t count = arrlenu(surface->planes);
    for (size_t i = 0; i < count; i++)
        if (lies_on(surface->mesh, triangle, &surface->planes[i].drawn.plane, flat))
            return i;
    for (size_t i = 0; i < count; i++)
        if (lies_on(surface->mesh, triangle, &surface->planes[i].drawn.plane, MESH_TOLERANCE) &&
            !is_bent(surface, triangle, &surface->planes[i]))
            return i;
    return count;
}

/* Returns false when there are too many. */
static bool sort_by_plane(struct solid_surface *surface)
{
    struct ranked *ranked = NULL;
    const double flat = flatness(surface);
    for (size_t i = 0; i < arrlenu(surface->triangles); i++) {
        int number = surface->triangles[i];
        double area = surface->mesh->triangles[number].area;
        if (area > 0)
            arrput(ranked, ((struct ranked){area, number}));
    }
    if (arrlen(ranked))
        qsort(ranked, arrlenu(ranked), sizeof *ranked, by_area);
    for (size_t i = 0; i < arrlenu(ranked) && arrlen(surface->planes) <= SOLID_PLANES_MAX; i++) {
        const struct placed_triangle *triangle = &surface->mesh->triangles[ranked[i].triangle];
        size_t at = find_plane(surface, triangle, flat);
        if (at == arrlenu(surface->planes)) {
            struct surface_plane plane = {0};
            draw_by(surface->mesh, triangle, &plane.drawn);
            arrput(surface->planes, plane);
        }
        arrput(surface->planes[at].triangles, ranked[i].triangle);
    }
    arrfree(ranked);
    return arrlen(surface->planes) <= SOLID_PLANES_MAX;
}

static bool is_whole(struct vec3 p)
{
    for (int k = 0; k < 3; k++)
        if (fabs(p.e[k] - rint(p.e[k])) > 0)
            return false;
    return true;
}

/* The corners of the plane's triangles. */
struct corner_list {
    struct vec3 *points; /* stb_ds array */
};

static struct corner_list list_corners(const struct placed_mesh *mesh, const int *triangles,
                                       bool only_whole)
{
    struct corner_list list = {0};
    for (size_t i = 0; i < arrlenu(triangles); i++)
        for (int k = 0; k < 3; k++) {
            struct vec3 p = placed_corner(mesh, &mesh->triangles[triangles[i]], k);
            if (!only_whole || is_whole(p))
                arrput(list.points, p);
        }
    return list;
}

static struct vec3 farthest_from(const struct vec3 *points, struct vec3 from)
{
    struct vec3 best = from;
    for (size_t i = 0; i < arrlenu(points); i++)
        if (vec3_distance(points[i], from) > vec3_distance(best, from))
            best = points[i];
    return best;
}

/* Sets the plane through three points that span a large triangle, facing as `normal` does. */
static bool draw_through(const struct vec3 *points, struct vec3 normal, struct drawn_plane *out)
{
    if (arrlen(points) < 3)
        return false;
    struct vec3 first = farthest_from(points, points[0]), last = farthest_from(points, first);
    double max = 0;
    *out = (struct drawn_plane){.points = {first, first, last}};
    for (size_t i = 0; i < arrlenu(points); i++) {
        double area =
            vec3_length(vec3_cross(vec3_sub(first, points[i]), vec3_sub(last, points[i])));
        if (area > max) {
            max = area;
            out->points[1] = points[i];
        }
    }
    if (!plane_from_points(out->points[0], out->points[1], out->points[2], &out->plane))
        return false;
    if (vec3_dot(out->plane.normal, normal) < 0)
        *out = drawn_plane_flip(out);
    return true;
}

static double deviation(const struct plane *plane, const struct vec3 *points)
{
    double max = 0;
    for (size_t i = 0; i < arrlenu(points); i++)
        max = portable_fmax(max, fabs(plane_distance(plane, points[i])));
    return max;
}

/* Draws the plane by whole numbers if it can be, else by the points that are farthest apart. */
static void refine(const struct placed_mesh *mesh, struct surface_plane *plane)
{
    struct corner_list all = list_corners(mesh, plane->triangles, false);
    double now = deviation(&plane->drawn.plane, all.points);
    for (int whole = 1; whole >= 0; whole--) {
        struct corner_list list = list_corners(mesh, plane->triangles, whole);
        struct drawn_plane better;
        bool fits = draw_through(list.points, plane->drawn.plane.normal, &better) &&
                    deviation(&better.plane, all.points) <= portable_fmax(now, MESH_TOLERANCE / 10);
        arrfree(list.points);
        if (!fits)
            continue;
        plane->drawn = better;
        break;
    }
    arrfree(all.points);
}

/* --- textures --- */

/* Sums for the best plane through the coordinates over two axes of a face. */
struct fit {
    struct vec3 middle, axes[2];
    double a[3][3], b[2][3];
};

static void fit_begin(struct fit *fit, struct vec3 middle, struct vec3 normal)
{
    struct vec3 up = vec3_major_axis(normal) == 2 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    *fit = (struct fit){.middle = middle};
    fit->axes[0] = vec3_normalize(vec3_mad(up, normal, -vec3_dot(up, normal)));
    fit->axes[1] = vec3_cross(normal, fit->axes[0]);
}

static void fit_add(struct fit *fit, struct vec3 p, const double uv[2], double weight)
{
    struct vec3 off = vec3_sub(p, fit->middle);
    const double x[3] = {vec3_dot(off, fit->axes[0]), vec3_dot(off, fit->axes[1]), 1};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            fit->a[i][j] += weight * x[i] * x[j];
        for (int k = 0; k < 2; k++)
            fit->b[k][i] += weight * x[i] * uv[k];
    }
}

static double determinant(const double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* By Cramer's rule. */
static bool fit_end(const struct fit *fit, struct texture_mapping *out)
{
    double whole = determinant(fit->a);
    if (!(fabs(whole) > 0))
        return false;
    for (int k = 0; k < 2; k++) {
        double x[3];
        for (int column = 0; column < 3; column++) {
            double m[3][3];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    m[i][j] = j == column ? fit->b[k][i] : fit->a[i][j];
            x[column] = determinant(m) / whole;
        }
        out->rows[k] = vec3_mad(vec3_scale(fit->axes[0], x[0]), fit->axes[1], x[1]);
        out->shifts[k] = x[2] - vec3_dot(out->rows[k], fit->middle);
    }
    return true;
}

/* Fits the mapping to all of its triangles, if that is better than what the first one gave. */
static void fit_mapping(struct solid_surface *surface, const struct surface_plane *plane,
                        int number)
{
    const struct placed_mesh *mesh = surface->mesh;
    struct texture_mapping *mapping = &surface->mappings[number], fitted = *mapping;
    struct fit fit;
    double whole[2];
    fit_begin(&fit, placed_corner(mesh, &mesh->triangles[plane->triangles[0]], 0),
              plane->drawn.plane.normal);
    for (size_t i = 0; i < arrlenu(plane->triangles); i++) {
        const struct placed_triangle *t = &mesh->triangles[plane->triangles[i]];
        if (surface->mapping_of[plane->triangles[i]] != number)
            continue;
        (void)mapping_error(mesh, t, mapping, whole);
        for (int k = 0; k < 3; k++) {
            const double uv[2] = {t->uv[k][0] - whole[0], t->uv[k][1] - whole[1]};
            fit_add(&fit, placed_corner(mesh, t, k), uv, t->area);
        }
    }
    bool fits = fit_end(&fit, &fitted);
    double errors[2] = {0, 0};
    for (size_t i = 0; i < arrlenu(plane->triangles); i++) {
        const struct placed_triangle *t = &mesh->triangles[plane->triangles[i]];
        if (surface->mapping_of[plane->triangles[i]] != number)
            continue;
        errors[0] = portable_fmax(errors[0], mapping_error(mesh, t, mapping, whole));
        errors[1] = portable_fmax(errors[1], mapping_error(mesh, t, &fitted, whole));
    }
    if (fits && errors[1] < errors[0])
        *mapping = fitted;
    mapping->error = portable_fmin(errors[0], fits ? errors[1] : errors[0]);
}

/* Where vertices were moved to whole numbers, the texture was not. */
static double mapping_slack(const struct solid_surface *surface,
                            const struct texture_mapping *mapping)
{
    double steepest = portable_fmax(vec3_length(mapping->rows[0]), vec3_length(mapping->rows[1]));
    return MAPPING_TOLERANCE + 2 * surface->mesh->moved * steepest;
}

/* The largest triangles, which tell a mapping best, come first. Returns false when there are too
 * many mappings. */
static bool sort_by_mapping(struct solid_surface *surface, const struct surface_plane *plane)
{
    int first = (int)arrlen(surface->mappings);
    for (size_t i = 0; i < arrlenu(plane->triangles); i++) {
        int number = plane->triangles[i], at = first;
        const struct placed_triangle *triangle = &surface->mesh->triangles[number];
        double whole[2];
        while (at < (int)arrlen(surface->mappings) &&
               (surface->mappings[at].material != triangle->material ||
                mapping_error(surface->mesh, triangle, &surface->mappings[at], whole) >
                    mapping_slack(surface, &surface->mappings[at])))
            at++;
        if (at == (int)arrlen(surface->mappings)) {
            struct texture_mapping mapping;
            mapping_of_triangle(surface->mesh, triangle, &mapping);
            arrput(surface->mappings, mapping);
            if (at - first >= PLANE_MAPPINGS_MAX)
                return false;
        }
        surface->mapping_of[number] = at;
    }
    for (int i = first; i < (int)arrlen(surface->mappings); i++)
        fit_mapping(surface, plane, i);
    return true;
}

bool solid_surface_make(const struct placed_mesh *mesh, const int *triangles,
                        struct solid_surface *out)
{
    *out = (struct solid_surface){.mesh = mesh, .triangles = triangles};
    if (!sort_by_plane(out)) {
        solid_surface_free(out);
        return false;
    }
    arrsetlen(out->mapping_of, arrlenu(mesh->triangles));
    for (size_t i = 0; i < arrlenu(out->mapping_of); i++)
        out->mapping_of[i] = -1;
    for (size_t i = 0; i < arrlenu(out->planes); i++) {
        refine(mesh, &out->planes[i]);
        if (!sort_by_mapping(out, &out->planes[i])) {
            solid_surface_free(out);
            return false;
        }
    }
    return true;
}

void solid_surface_free(struct solid_surface *surface)
{
    for (size_t i = 0; i < arrlenu(surface->planes); i++)
        arrfree(surface->planes[i].triangles);
    arrfree(surface->planes);
    arrfree(surface->mappings);
    arrfree(surface->mapping_of);
}
