/* Traces rays against triangles. The only module that uses Embree.
 *
 * Triangles belong to a class; a query has a mask of the classes to test. A scene is built once and
 * then only read, from any number of threads. Queries run in packets of 16, the widest form that
 * Embree 3 and 4 share. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_class {
    TRACE_SOLID = 1 << 0, /* brush sides that block light */
    TRACE_SKY = 1 << 1,   /* sky faces */
    TRACE_FACE = 1 << 2,  /* visible surfaces of solids: their drawn faces, and sides without any */
    TRACE_PROP = 1 << 3,  /* models */
    TRACE_ALPHA_SHADOW = 1 << 4, /* textures that pass a part of the light: alpha-tested shadows */
    /* The part of SOLID and FACE that is not in a solid_tree.h used beside the triangles. */
    TRACE_LOOSE_SOLID = 1 << 5,
    TRACE_LOOSE_FACE = 1 << 6,
};
enum { TRACE_CLASSES = 7, TRACE_PACKET = 16 };

struct trace_ray {
    float origin[3];
    float direction[3]; /* need not be a unit vector; distances are multiples of its length */
    float near, far;
};

/* 16 rays in structure-of-arrays form. Lanes that are not valid may hold anything. Rays with
 * numbers that are not finite (except `far`) or beyond 1e18, or with `near` below 0, hit nothing.
 */
struct trace_packet {
    _Alignas(64) float origin[3][TRACE_PACKET];
    _Alignas(64) float near[TRACE_PACKET];
    _Alignas(64) float direction[3][TRACE_PACKET];
    _Alignas(64) float far[TRACE_PACKET];
};

struct trace_hit {
    float distance;    /* < 0: no hit, and the rest is undefined */
    float u, v;        /* the point is a + u (b - a) + v (c - a) of triangle a b c */
    uint32_t triangle; /* the number given to trace_add */
    uint32_t class;
};

struct trace_scene;

/* Returns NULL when the ray library cannot be initialised. */
struct trace_scene *trace_new(void);
void trace_free(struct trace_scene *scene);

/* Adds triangles of one class: 9 floats of positions each. `user` are their numbers in hits; NULL
 * numbers them from 0 in the order of adding, per class. Not after trace_build. */
void trace_add(struct trace_scene *scene, enum trace_class class, const float *positions,
               const uint32_t *user, size_t count);

/* Returns the triangles of a class as they were added: 9 floats each, `count` of them. Owned by the
 * scene. */
const float *trace_positions(const struct trace_scene *scene, enum trace_class class,
                             size_t *count);

/* Builds acceleration structures for queries with exactly these masks, on one thread: results must
 * not depend on the number of threads. Returns false when the ray library fails. */
bool trace_build(struct trace_scene *scene, const uint32_t *masks, size_t mask_count);

/* Returns the lanes (bits) of `valid` that are blocked. coherent: the rays have similar
 * directions. */
uint32_t trace_occluded16(const struct trace_scene *scene, uint32_t mask,
                          const struct trace_packet *packet, uint32_t valid, bool coherent);
/* Finds the nearest hit of each lane of `valid`. */
void trace_closest16(const struct trace_scene *scene, uint32_t mask,
                     const struct trace_packet *packet, uint32_t valid, bool coherent,
                     struct trace_hit hits[TRACE_PACKET]);

bool trace_occluded(const struct trace_scene *scene, uint32_t mask, const struct trace_ray *ray);
struct trace_hit trace_closest(const struct trace_scene *scene, uint32_t mask,
                               const struct trace_ray *ray);
/* Trace many rays in packets: occluded[i] is 1 or 0. */
void trace_occluded_many(const struct trace_scene *scene, uint32_t mask,
                         const struct trace_ray *rays, size_t count, bool coherent,
                         uint8_t *occluded);
void trace_closest_many(const struct trace_scene *scene, uint32_t mask,
                        const struct trace_ray *rays, size_t count, bool coherent,
                        struct trace_hit *hits);

#endif
