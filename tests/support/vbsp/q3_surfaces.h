/* Hand-made draw surfaces, and invariants of any. */
#ifndef TESTS_Q3_SURFACES_H
#define TESTS_Q3_SURFACES_H

#include "common/core/array.h"
#include "common/core/random.h"
#include "vbsp/target/quake3/surfaces/surface.h"

static const struct shader q3_plain = {.name = "textures/test/plain",
                                       .contents = Q3_CONTENTS_SOLID,
                                       .compile_flags = SHADER_HAS_LIGHTMAP,
                                       .width = 64,
                                       .height = 64};

static inline struct draw_surface q3_polygon(const struct vec3 *points, int count)
{
    struct draw_surface surface = {.type = SURFACE_PLANAR,
                                   .shader = &q3_plain,
                                   .fog = -1,
                                   .lightmapped = true,
                                   .planar = true};
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 2; i < count; i++)
        sum = vec3_add(
            sum, vec3_cross(vec3_sub(points[i], points[0]), vec3_sub(points[i - 1], points[0])));
    surface.normal = vec3_normalize(sum);
    surface.dist = vec3_dot(surface.normal, points[0]);
    for (int i = 0; i < count; i++) {
        struct draw_vertex vertex = {.p = points[i],
                                     .normal = surface.normal,
                                     .texture = {points[i].x / 64, points[i].y / 64},
                                     .colour = {255, 255, 255, 255}};
        arrput(surface.vertices, vertex);
    }
    return surface;
}

/* Normal of a triangle, towards its front; its length is twice the area. */
static inline struct vec3 q3_front(const struct draw_surface *surface, size_t first_index)
{
    const struct draw_vertex *v = surface->vertices;
    const int *i = surface->indices + first_index;
    return vec3_cross(vec3_sub(v[i[2]].p, v[i[0]].p), vec3_sub(v[i[1]].p, v[i[0]].p));
}

#endif
