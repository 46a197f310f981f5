/* Rays against triangles. The only room that knows Embree.
 *
 * Triangles belong to a class; a ray chooses by a mask which classes it meets. A scene is built
 * once and then only read, from any number of threads. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_class {
    TRACE_SOLID = 1 << 0, /* brush sides that block light */
    TRACE_SKY = 1 << 1,   /* sky faces */
};

struct trace_ray {
    float origin[3];
    float direction[3]; /* need not be a unit vector; distances are in its lengths */
    float near, far;
    uint32_t mask; /* classes that it meets */
};

struct trace_hit {
    float distance;     /* < 0: nothing */
    uint32_t triangle;  /* the number given by trace_add */
    uint32_t class;
};

struct trace_scene;

struct trace_scene *trace_new(void);
void trace_free(struct trace_scene *scene);
/* Adds triangles of one class: positions are 9 floats each. `user` numbers are theirs in hits. */
void trace_add(struct trace_scene *scene, enum trace_class class, const float *positions,
               const uint32_t *user, size_t count);
void trace_build(struct trace_scene *scene, int threads);

bool trace_occluded(const struct trace_scene *scene, const struct trace_ray *ray);
/* Many at once, in packets: occluded[i] is 1 or 0. coherent: the rays run alike. */
void trace_occluded_many(const struct trace_scene *scene, const struct trace_ray *rays,
                         size_t count, bool coherent, uint8_t *occluded);
struct trace_hit trace_closest(const struct trace_scene *scene, const struct trace_ray *ray);
void trace_closest_many(const struct trace_scene *scene, const struct trace_ray *rays,
                        size_t count, bool coherent, struct trace_hit *hits);

#endif
