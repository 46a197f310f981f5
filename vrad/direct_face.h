/* Inside the direct light: one face and what each light gives to it. */
#ifndef VRAD_DIRECT_FACE_H
#define VRAD_DIRECT_FACE_H

#include "vrad/direct.h"
#include "vrad/luxel_samples.h"

/* What the coarse samples of a luxel met on their way to a light. */
enum luxel_state { LUXEL_SEES = 1, LUXEL_BLOCKED = 2, LUXEL_STEEP = 4 };

/* The rays of one light to one face. */
struct light_share {
    const struct light *light;
    float *sum;           /* slots * count: mean over the luxel of cosine, falloff and visibility */
    float *peak;          /* count: the mean of the flat slot if nothing stood in the way */
    unsigned char *state; /* count: enum luxel_state */
};

enum ray_kind { RAYS_LIGHT, RAYS_SUN, RAYS_SKY, RAYS_FINE, RAY_KINDS };

struct direct_face {
    const struct scene *scene;
    const struct light_set *lights;
    const struct direct_options *options;
    const struct luxel_map *map;
    struct face_light *face;
    struct arena *arena;                 /* scratch */
    struct vec3 (*normals)[LUXEL_SLOTS]; /* one row a luxel: smoothed, then the bump basis */
    struct luxel_sample *coarse;         /* LUXEL_COARSE a luxel */
    unsigned char *coarse_count;         /* one a luxel */
    struct light_share *shares;          /* stb_ds array: the lights that may reach the face */
    float *total;                        /* count: flat light of all styles so far */
    int64_t rays[RAY_KINDS];
};

/* Adds the light at `samples` of one luxel, `count` of them that stand for the whole luxel.
 * Rays wait in the queue until it is full; ray_queue_flush ends the work on a light. */
struct ray_queue {
    struct direct_face *face;
    struct light_share *share;
    struct trace_packet packet;
    int luxel[TRACE_PACKET];
    float weight[TRACE_PACKET][LUXEL_SLOTS];
    int count;
    enum ray_kind kind;
};

void ray_queue_add(struct ray_queue *queue, int luxel, const struct luxel_sample *samples,
                   int count);
void ray_queue_flush(struct ray_queue *queue);

/* Does again, finely, the luxels where a light has a shadow's edge or changes fast. */
void supersample(struct direct_face *face);

/* The share of the sky's light that falls on each luxel: slots * count floats. */
void sky_light(struct direct_face *face, float *sums);
/* The same for some luxels, each by its own rays. */
void sky_rays(struct direct_face *face, const int *luxels, int count, float *sums);

#endif
