#include "vbsp/target/quake3/surfaces/surface.h"

#include "common/core/array.h"

void draw_surface_free(struct draw_surface *surface)
{
    arrfree(surface->vertices);
    arrfree(surface->indices);
}

void draw_surfaces_free(struct draw_surface *surfaces)
{
    for (size_t i = 0; i < arrlenu(surfaces); i++)
        draw_surface_free(&surfaces[i]);
    arrfree(surfaces);
}

bool shader_wants_lightmap(const struct shader *shader)
{
    const int without =
        Q3_SURFACE_NOLIGHTMAP | Q3_SURFACE_POINTLIGHT | Q3_SURFACE_SKY | Q3_SURFACE_NODRAW;
    return shader->compile_flags & SHADER_HAS_LIGHTMAP && !(shader->surface_flags & without);
}

struct draw_surface draw_surface_like(const struct draw_surface *surface)
{
    struct draw_surface like = *surface;
    like.vertices = NULL;
    like.indices = NULL;
    return like;
}

struct draw_surface draw_surface_copy(const struct draw_surface *surface)
{
    struct draw_surface copy = draw_surface_like(surface);
    for (size_t i = 0; i < arrlenu(surface->vertices); i++)
        arrput(copy.vertices, surface->vertices[i]);
    for (size_t i = 0; i < arrlenu(surface->indices); i++)
        arrput(copy.indices, surface->indices[i]);
    return copy;
}

struct bounds draw_surface_bounds(const struct draw_surface *surface)
{
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(surface->vertices); i++)
        bounds_add_point(&bounds, surface->vertices[i].p);
    return bounds;
}

static double area_of(struct vec3 a, struct vec3 b, struct vec3 c)
{
    return vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / 2;
}

double draw_surface_area(const struct draw_surface *surface)
{
    const struct draw_vertex *v = surface->vertices;
    double area = 0;
    if (surface->type != SURFACE_PLANAR && surface->type != SURFACE_MESH)
        return 0;
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3)
        area += area_of(v[surface->indices[i]].p, v[surface->indices[i + 1]].p,
                        v[surface->indices[i + 2]].p);
    if (surface->type == SURFACE_PLANAR && !surface->indices)
        for (size_t i = 2; i < arrlenu(v); i++)
            area += area_of(v[0].p, v[i - 1].p, v[i].p);
    return area;
}

/* Differences with which vertices are not merged into one. */
#define SAME_PLACE   1e-3
#define SAME_TEXTURE 1e-4

static bool is_same_vertex(const struct draw_vertex *a, const struct draw_vertex *b)
{
    return vec3_distance(a->p, b->p) < SAME_PLACE &&
           vec3_distance(a->normal, b->normal) < SAME_PLACE &&
           fabs(a->texture[0] - b->texture[0]) < SAME_TEXTURE &&
           fabs(a->texture[1] - b->texture[1]) < SAME_TEXTURE;
}

bool draw_surface_is_quads(const struct draw_surface *surface)
{
    const struct draw_vertex *vertices = surface->vertices;
    const size_t count = arrlenu(surface->indices);
    size_t corners = 0;
    if (surface->type == SURFACE_PATCH || count % 6)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i; j++) {
            if (!is_same_vertex(&vertices[surface->indices[i]], &vertices[surface->indices[j]]))
                continue;
            if (i / 6 != j / 6)
                return false;
            is_new = false;
        }
        corners += is_new;
        if (i % 6 == 5 && corners != (i / 6 + 1) * 4)
            return false;
    }
    return true;
}

struct draw_vertex draw_vertex_lerp(const struct draw_vertex *a, const struct draw_vertex *b,
                                    double t)
{
    struct draw_vertex out = {.p = vec3_lerp(a->p, b->p, t),
                              .normal = vec3_normalize(vec3_lerp(a->normal, b->normal, t))};
    for (int k = 0; k < 2; k++)
        out.texture[k] = a->texture[k] + t * (b->texture[k] - a->texture[k]);
    for (int k = 0; k < 4; k++)
        out.colour[k] = (uint8_t)lround(a->colour[k] + t * (b->colour[k] - a->colour[k]));
    return out;
}

/* The part on one side: +1 in front, -1 behind. */
static void clip_side(const struct draw_vertex *polygon, const struct plane *plane, double near,
                      int side, struct draw_vertex **out)
{
    size_t count = arrlenu(polygon);
    for (size_t i = 0; out && i < count; i++) {
        const struct draw_vertex *a = &polygon[i], *b = &polygon[(i + 1) % count];
        double from = side * plane_distance(plane, a->p), to = side * plane_distance(plane, b->p);
        if (from >= -near)
            arrput(*out, *a);
        if ((from > near && to < -near) || (from < -near && to > near))
            arrput(*out, draw_vertex_lerp(a, b, from / (from - to)));
    }
}

void draw_polygon_clip(const struct draw_vertex *polygon, const struct plane *plane, double near,
                       struct draw_vertex **front, struct draw_vertex **behind)
{
    bool is_front = false, is_behind = false;
    for (size_t i = 0; i < arrlenu(polygon); i++) {
        double distance = plane_distance(plane, polygon[i].p);
        is_front = is_front || distance > near;
        is_behind = is_behind || distance < -near;
    }
    if (is_front)
        clip_side(polygon, plane, near, 1, front);
    if (is_behind || !is_front)
        clip_side(polygon, plane, near, -1, behind);
}
