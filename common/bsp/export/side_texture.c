#include "common/bsp/export/side_texture.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"

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

void side_texture_flatten(struct side_texture *texture, const struct plane *plane)
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
