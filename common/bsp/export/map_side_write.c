#include "common/bsp/export/map_side_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"
#include "common/geom/map_projection.h"

/* --- side texture --- */

/* Corners of a triangle on a side are this close to its plane: surfaces are welded. */
#define REACH 0.25

/* The least cosine between the normals of a triangle and of the side that it is on. */
#define PARALLEL 0.99

/* Less than this in square units is the overlap of neighbours that share an edge. */
#define MIN_OVERLAP 0.01

struct triangle {
    const char *shader;
    struct vec3 p[3], normal;
    struct bounds bounds;
    double texture[3][2];
    size_t number; /* in the file's order */
    bool is_on_side;
};

/* Moves the rows into the plane; nothing changes for points on it. */
static void side_texture_flatten(struct side_texture *texture, const struct plane *plane)
{
    for (int k = 0; k < 2; k++) {
        double lift = vec3_dot(texture->rows[k], plane->normal);
        texture->rows[k] = vec3_mad(texture->rows[k], plane->normal, -lift);
        texture->shifts[k] += lift * plane->dist;
    }
}

struct drawn_triangles {
    struct triangle *triangles; /* stb_ds array, by the start of their bounds along x */
};

static int compare_triangles(const void *a, const void *b)
{
    const struct triangle *first = a, *second = b;
    double x = first->bounds.mins.x, other = second->bounds.mins.x;
    if (x < other || x > other)
        return x < other ? -1 : 1;
    return (first->number > second->number) - (first->number < second->number);
}

/* Triangles without an area say nothing. */
static void add_triangle(struct drawn_triangles *drawn, const struct bsp *bsp,
                         const struct bsp_surface *surface, const char *shader, int first)
{
    struct triangle triangle = {.shader = shader, .number = arrlenu(drawn->triangles)};
    for (int i = 0; i < 3; i++) {
        const struct bsp_draw_vertex *vertex =
            &bsp->draw_vertices[surface->first_vertex + bsp->draw_indices[first + i]];
        triangle.p[i] = vec3_from_floats(vertex->p);
        for (int k = 0; k < 2; k++)
            triangle.texture[i][k] = (double)vertex->texture[k];
        if (!floats_are_finite(vertex->p, 3) || !floats_are_finite(vertex->texture, 2))
            return;
    }
    struct plane plane;
    if (!plane_from_points(triangle.p[0], triangle.p[1], triangle.p[2], &plane))
        return;
    triangle.normal = plane.normal;
    triangle.bounds = bounds_empty();
    for (int i = 0; i < 3; i++)
        bounds_add_point(&triangle.bounds, triangle.p[i]);
    arrput(drawn->triangles, triangle);
}

struct drawn_triangles *drawn_triangles_new(const struct bsp *bsp, const struct bsp_model *model,
                                            const char *const *names)
{
    struct drawn_triangles *drawn = memory_zalloc(1, sizeof *drawn);
    for (int i = model->first_face; i < model->first_face + model->face_count; i++) {
        const struct bsp_surface *surface = &bsp->surfaces[i];
        if (surface->type != SURFACE_PLANAR && surface->type != SURFACE_MESH)
            continue;
        for (int k = 0; k + 2 < surface->index_count; k += 3)
            add_triangle(drawn, bsp, surface, names[surface->shader], surface->first_index + k);
    }
    if (arrlen(drawn->triangles) > 1)
        qsort(drawn->triangles, arrlenu(drawn->triangles), sizeof *drawn->triangles,
              compare_triangles);
    return drawn;
}

void drawn_triangles_free(struct drawn_triangles *drawn)
{
    arrfree(drawn->triangles);
    memory_free(drawn);
}

static bool is_on_plane(const struct triangle *triangle, const struct plane *plane)
{
    for (int i = 0; i < 3; i++)
        if (fabs(plane_distance(plane, triangle->p[i])) > REACH)
            return false;
    return vec3_dot(triangle->normal, plane->normal) > PARALLEL;
}

/* The area of the side that the triangle covers. */
static double overlap(const struct triangle *triangle, struct winding *winding, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    for (int i = 0; i < 3 && winding; i++) {
        struct vec3 from = triangle->p[i], along = vec3_sub(triangle->p[(i + 1) % 3], from);
        struct plane edge = {vec3_normalize(vec3_cross(triangle->normal, along)), 0};
        edge.dist = vec3_dot(edge.normal, from);
        if (vec3_dot(edge.normal, vec3_sub(triangle->p[(i + 2) % 3], from)) > 0)
            edge = plane_flip(&edge);
        winding = winding_clip_behind(arena, winding, &edge, 1e-4);
    }
    double area = winding ? winding_area(winding) : 0;
    arena_release(arena, mark);
    return area;
}

static void set_texture(const struct triangle *triangle, struct side_texture *out)
{
    struct vec3 a = vec3_sub(triangle->p[1], triangle->p[0]),
                b = vec3_sub(triangle->p[2], triangle->p[0]), normal = vec3_cross(a, b);
    double square = vec3_dot(normal, normal);
    out->shader = triangle->shader;
    for (int k = 0; k < 2; k++) {
        double first = triangle->texture[1][k] - triangle->texture[0][k],
               second = triangle->texture[2][k] - triangle->texture[0][k];
        struct vec3 row = vec3_add(vec3_scale(vec3_cross(b, normal), first / square),
                                   vec3_scale(vec3_cross(normal, a), second / square));
        out->rows[k] = row;
        out->shifts[k] = triangle->texture[0][k] - vec3_dot(row, triangle->p[0]);
    }
}

/* The triangle that covers most of a side, of those with its shader or of the others. */
struct cover {
    const struct triangle *triangle;
    double area;
};

bool drawn_texture(struct drawn_triangles *drawn, struct arena *arena, const char *shader,
                   const struct plane *plane, const struct winding *winding,
                   struct side_texture *out)
{
    const struct bounds bounds = winding_bounds(winding);
    struct winding *side = winding_copy(arena, winding);
    struct cover own = {0}, other = {0};
    for (size_t i = 0; i < arrlenu(drawn->triangles); i++) {
        struct triangle *triangle = &drawn->triangles[i];
        if (triangle->bounds.mins.x > bounds.maxs.x + REACH)
            break;
        if (!bounds_touch(&triangle->bounds, &bounds, REACH) || !is_on_plane(triangle, plane))
            continue;
        const struct cover found = {triangle, overlap(triangle, side, arena)};
        if (found.area <= MIN_OVERLAP)
            continue;
        triangle->is_on_side = true;
        struct cover *best = strcmp(triangle->shader, shader) == 0 ? &own : &other;
        if (found.area > best->area)
            *best = found;
    }
    const struct triangle *best = own.triangle ? own.triangle : other.triangle;
    if (!best)
        return false;
    set_texture(best, out);
    side_texture_flatten(out, plane);
    return true;
}

size_t drawn_loose(const struct drawn_triangles *drawn)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(drawn->triangles); i++)
        count += !drawn->triangles[i].is_on_side;
    return count;
}

/* --- map side write --- */

/* Corners this close to the grid were on it: planes of the file are in single precision. */
#define GRID_SNAP 0.02

/* A plane through corners on the grid is that of the side when they differ by less. */
#define SAME_NORMAL 2e-6
#define SAME_DIST   4e-3

/* Distance of the points that stand for a plane without corners on the grid. */
#define SPREAD 256.0

/* Sines of angles below this are rounding: a texture is not sheared. */
#define SHEAR 1e-3

/* A blank and the number, with ten digits at most. */
static void map_number_write(double number, struct bytes *out)
{
    double whole = rint(number);
    if (fabs(number - whole) < 1e-9)
        number = whole + 0.0; /* without the sign of zero */
    bytes_append_text(out, " %.10g", number);
}

/* The name without "textures/", in quotes where it needs them. */
static void map_shader_write(const char *shader, struct bytes *out)
{
    static const char folder[] = "textures/";
    if (str_starts_nocase(shader, folder) && shader[sizeof folder - 1])
        shader += sizeof folder - 1;
    bool quotes = !*shader || strchr("()[]{}/", *shader) != NULL;
    bytes_append_text(out, quotes ? "\"%s\"" : "%s", shader);
}

/* --- points --- */

static double doubled_area(const struct vec3 p[3])
{
    return vec3_length(vec3_cross(vec3_sub(p[0], p[1]), vec3_sub(p[2], p[1])));
}

/* Three corners that span a large triangle. */
static void choose_corners(const struct winding *winding, struct vec3 out[3])
{
    int first = 0, far = 0;
    for (int i = 1; i < winding->count; i++)
        if (vec3_distance(winding->points[i], winding->points[first]) >
            vec3_distance(winding->points[far], winding->points[first]))
            far = i;
    double max = -1;
    for (int i = 0; i < winding->count; i++) {
        const struct vec3 p[3] = {winding->points[first], winding->points[i], winding->points[far]};
        if (doubled_area(p) <= max)
            continue;
        max = doubled_area(p);
        memcpy(out, p, sizeof p);
    }
}

/* Corners on the grid give the plane that the mapper drew. */
static bool grid_points(const struct map_side_text *side, const struct plane *plane,
                        struct vec3 out[3])
{
    if (!side->winding || side->winding->count < 3)
        return false;
    choose_corners(side->winding, out);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double at = out[i].e[k] + side->origin.e[k];
            out[i].e[k] = rint(at);
            if (fabs(out[i].e[k] - at) > GRID_SNAP)
                return false;
        }
    struct plane found;
    if (!plane_from_points(out[0], out[1], out[2], &found))
        return false;
    if (vec3_dot(found.normal, plane->normal) < 0) {
        struct vec3 swapped = out[0];
        out[0] = out[2];
        out[2] = swapped;
        found = plane_flip(&found);
    }
    return vec3_distance(found.normal, plane->normal) < SAME_NORMAL &&
           fabs(found.dist - plane->dist) < SAME_DIST;
}

static void plane_points(const struct map_side_text *side, const struct plane *plane,
                         struct vec3 out[3])
{
    struct vec3 normal = plane->normal, along, across, middle = side->origin;
    if (side->winding)
        middle = vec3_add(middle, winding_center(side->winding));
    for (int k = 0; k < 3; k++)
        middle.e[k] = rint(middle.e[k]);
    middle = vec3_mad(middle, normal, -plane_distance(plane, middle));
    along = vec3_major_axis(normal) == 2 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    along = vec3_normalize(vec3_mad(along, normal, -vec3_dot(along, normal)));
    across = vec3_cross(normal, along);
    out[0] = vec3_mad(middle, across, SPREAD);
    out[1] = middle;
    out[2] = vec3_mad(middle, along, SPREAD);
    struct plane found;
    if (plane_from_points(out[0], out[1], out[2], &found) && vec3_dot(found.normal, normal) < 0) {
        struct vec3 swapped = out[0];
        out[0] = out[2];
        out[2] = swapped;
    }
}

static void write_points(const struct map_side_text *side, const struct plane *plane,
                         struct bytes *out)
{
    struct vec3 points[3];
    if (side->points)
        memcpy(points, side->points, sizeof points);
    else if (!grid_points(side, plane, points))
        plane_points(side, plane, points);
    for (int i = 0; i < 3; i++) {
        bytes_append_text(out, "(");
        for (int k = 0; k < 3; k++)
            map_number_write(points[i].e[k], out);
        bytes_append_text(out, " ) ");
    }
}

/* --- texture --- */

static void default_texture(const struct map_side_text *side, const struct plane *plane,
                            struct side_texture *out)
{
    const struct map_base *base = map_classic_base(plane->normal);
    *out = (struct side_texture){0};
    out->rows[0].e[base->u] = 1 / (MAP_DEFAULT_SCALE * side->image[0]);
    out->rows[1].e[base->v] = -1 / (MAP_DEFAULT_SCALE * side->image[1]);
    side_texture_flatten(out, plane);
}

static void write_matrix(const struct plane *plane, const struct side_texture *texture,
                         struct bytes *out)
{
    struct vec3 s, t;
    map_primitive_base(plane->normal, &s, &t);
    bytes_append_text(out, "(");
    for (int k = 0; k < 2; k++) {
        bytes_append_text(out, " (");
        map_number_write(vec3_dot(texture->rows[k], s), out);
        map_number_write(vec3_dot(texture->rows[k], t), out);
        map_number_write(texture->shifts[k], out);
        bytes_append_text(out, " )");
    }
    bytes_append_text(out, " ) ");
}

static void write_valve(const struct side_texture *texture, const int image[2], struct bytes *out)
{
    double scales[2];
    for (int k = 0; k < 2; k++) {
        double length = vec3_length(texture->rows[k]);
        struct vec3 axis = vec3_normalize(texture->rows[k]);
        bytes_append_text(out, " [");
        for (int i = 0; i < 3; i++)
            map_number_write(axis.e[i], out);
        map_number_write(texture->shifts[k] * image[k], out);
        bytes_append_text(out, " ]");
        scales[k] = length > 0 ? 1 / (length * image[k]) : 1;
    }
    bytes_append_text(out, " 0");
    for (int k = 0; k < 2; k++)
        map_number_write(scales[k], out);
}

/* Rows and shifts in texels as functions of the base's two axes alone: the third follows from the
 * plane. */
static void project(const struct map_side_text *side, const struct plane *plane,
                    const struct side_texture *texture, const struct map_base *base,
                    double flat[2][2], double shifts[2])
{
    for (int k = 0; k < 2; k++) {
        const struct vec3 row = texture->rows[k], n = plane->normal;
        double slope = row.e[base->towards] / n.e[base->towards];
        flat[k][0] = (row.e[base->u] - slope * n.e[base->u]) * side->image[k];
        flat[k][1] = (row.e[base->v] - slope * n.e[base->v]) * side->image[k];
        shifts[k] = (texture->shifts[k] + slope * plane->dist) * side->image[k];
    }
}

static bool write_classic(const struct map_side_text *side, const struct plane *plane,
                          const struct side_texture *texture, struct bytes *out)
{
    double flat[2][2], shifts[2];
    project(side, plane, texture, map_classic_base(plane->normal), flat, shifts);
    double length = portable_hypot(flat[0][0], flat[0][1]),
           other = portable_hypot(flat[1][0], flat[1][1]);
    double c = length > 0 ? flat[0][0] / length : 1, s = length > 0 ? flat[0][1] / length : 0;
    double down = flat[1][0] * s - flat[1][1] * c, shear = flat[1][0] * c + flat[1][1] * s;
    const double numbers[] = {shifts[0], shifts[1], portable_atan2(s, c) / PI * 180,
                              length > 0 ? 1 / length : 1,
                              other > 0 ? (down < 0 ? -1 : 1) / other : 1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        map_number_write(numbers[i], out);
    return fabs(shear) <= SHEAR * other;
}

/* --- */

bool map_side_write(const struct map_side_text *side, struct bytes *out)
{
    struct plane plane = side->plane;
    struct side_texture texture = side->texture;
    bool fits = true;
    plane.dist += vec3_dot(plane.normal, side->origin);
    for (int k = 0; k < 2; k++)
        texture.shifts[k] -= vec3_dot(texture.rows[k], side->origin);
    if (!side->has_texture)
        default_texture(side, &plane, &texture);
    write_points(side, &plane, out);
    if (side->form == MAP_FORM_PRIMITIVES)
        write_matrix(&plane, &texture, out);
    map_shader_write(side->shader, out);
    if (side->form == MAP_FORM_VALVE)
        write_valve(&texture, side->image, out);
    else if (side->form == MAP_FORM_CLASSIC)
        fits = write_classic(side, &plane, &texture, out);
    bytes_append_text(out, " %d 0 0\n", side->contents);
    return fits;
}

void map_patch_write(const char *shader, int columns, int rows,
                     const struct map_control_point *points, struct bytes *out)
{
    bytes_append_text(out, "patchDef2\n{\n");
    map_shader_write(shader, out);
    bytes_append_text(out, "\n( %d %d 0 0 0 )\n(\n", columns, rows);
    for (int column = 0; column < columns; column++) {
        bytes_append_text(out, "(");
        for (int row = 0; row < rows; row++) {
            const struct map_control_point *point = &points[row * columns + column];
            bytes_append_text(out, " (");
            for (int k = 0; k < 3; k++)
                map_number_write(point->p.e[k], out);
            for (int k = 0; k < 2; k++)
                map_number_write(point->texture[k], out);
            bytes_append_text(out, " )");
        }
        bytes_append_text(out, " )\n");
    }
    bytes_append_text(out, ")\n}\n");
}
