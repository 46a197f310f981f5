/* Shapes of triangles for a trace scene. */
#ifndef TESTS_TRACE_SHAPES_H
#define TESTS_TRACE_SHAPES_H

#include "common/geom/vec.h"
#include "common/trace/trace.h"

/* A fan of two triangles. */
static inline void trace_add_quad(struct trace_scene *scene, enum trace_class class, struct vec3 a,
                                  struct vec3 b, struct vec3 c, struct vec3 d)
{
    const struct vec3 corners[6] = {a, b, c, a, c, d};
    float positions[18];
    for (int i = 0; i < 18; i++)
        positions[i] = (float)corners[i / 3].e[i % 3];
    trace_add(scene, class, positions, NULL, 2);
}

static inline void trace_add_box(struct trace_scene *scene, struct vec3 low, struct vec3 high)
{
    struct vec3 p[8];
    for (int i = 0; i < 8; i++)
        p[i] = vec3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    trace_add_quad(scene, TRACE_SOLID, p[0], p[1], p[3], p[2]);
    trace_add_quad(scene, TRACE_SOLID, p[4], p[6], p[7], p[5]);
    trace_add_quad(scene, TRACE_SOLID, p[0], p[4], p[5], p[1]);
    trace_add_quad(scene, TRACE_SOLID, p[2], p[3], p[7], p[6]);
    trace_add_quad(scene, TRACE_SOLID, p[0], p[2], p[6], p[4]);
    trace_add_quad(scene, TRACE_SOLID, p[1], p[5], p[7], p[3]);
}

#endif
