/* Luxels in steep bounced light. Where it differs much between transport points, such as on both
 * sides of a slot through which they see each other, interpolation would carry light across. Each
 * of these luxels has rays of its own, which are traced once. */
#ifndef VRAD_BOUNCE_STEEP_LUXELS_H
#define VRAD_BOUNCE_STEEP_LUXELS_H

#include "vrad/bounce/subluxel_bounce.h"

struct transport_rays;

struct steep_luxel {
    int face, luxel;
};

struct steep_luxels {
    const struct gather_table *table; /* plain; borrowed */
    struct luxel_set set;             /* in the numbering of a radiosity */
    struct steep_luxel *luxels;       /* by their rank in the set */
    size_t count;
    uint32_t *seen; /* table->rays per luxel: radiosity_seen */
    float *light;   /* 3 per luxel: bounced light */
};

/* Chooses them by what one bounce of direct light brings to the points, and traces their rays. The
 * same on all ranks, each of which traces them all. Free with steep_luxels_free. */
void steep_luxels_find(const struct env *env, const struct transport_rays *transport,
                       const struct gather_table *table, struct steep_luxels *out);
void steep_luxels_free(struct steep_luxels *steep);

/* One bounce: sets `light`. */
void steep_luxels_bounce(const struct env *env, struct steep_luxels *steep, seen_light_look *look,
                         const void *context);

#endif
