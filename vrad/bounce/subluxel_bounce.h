/* The bounced light of subluxels, along rays that are traced once from blocks of them. */
#ifndef VRAD_BOUNCE_SUBLUXEL_BOUNCE_H
#define VRAD_BOUNCE_SUBLUXEL_BOUNCE_H

#include "vrad/bounce/final_gather.h"
#include "vrad/luxels/seen_light.h"

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

/* One bounce: map->subluxels get the light that reaches them now. */
void subluxel_bounce(const struct env *env, const struct subluxel_rays *rays, seen_light_look *look,
                     const void *context, const struct luxel_map *map);

#endif
