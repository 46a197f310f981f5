/* The bounced light of subluxels, along rays that are traced once from blocks of them. */
#ifndef VRAD_BOUNCE_SUBLUXEL_BOUNCE_H
#define VRAD_BOUNCE_SUBLUXEL_BOUNCE_H

#include "vrad/bounce/final_gather.h"

/* The hits of the rays of all blocks. Each rank traces them all: they are few. */
struct subluxel_rays {
    const struct gather_table *table; /* plain; borrowed */
    size_t count;                     /* of rays */
    uint32_t *seen;                   /* radiosity_seen of each */
};

/* Free with subluxel_rays_free. */
void subluxel_rays_trace(const struct env *env, const struct radiosity *radiosity,
                         const struct gather_table *table, struct subluxel_rays *out);
void subluxel_rays_free(struct subluxel_rays *rays);

/* The light that leaves what a ray has hit, 3 numbers; `room` may hold them. */
typedef const float *bounce_look(const void *context, size_t seen, float room[3]);

/* The mean of what rays have hit. */
static inline void bounce_mean(bounce_look *look, const void *context, const uint32_t *seen,
                               size_t rays, float out[3])
{
    float sum[3] = {0, 0, 0}, room[3];
    for (size_t i = 0; i < rays; i++) {
        const float *light = look(context, seen[i], room);
        for (int k = 0; k < 3; k++)
            sum[k] += light[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] = sum[k] / (float)rays;
}

/* One bounce: map->subluxels get the light that reaches them now. */
void subluxel_bounce(const struct env *env, const struct subluxel_rays *rays, bounce_look *look,
                     const void *context, const struct luxel_map *map);

#endif
