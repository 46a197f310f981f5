/* Rays to the sky from luxels. */
#ifndef VRAD_DIRECT_SKY_RAYS_H
#define VRAD_DIRECT_SKY_RAYS_H

#include <stddef.h>

struct direct_face;

/* Directions around z, cut into as many parts as a luxel has rays: several at random places of each
 * part. Made once; luxels pick from it. */
struct sky_table {
    int rays;      /* a power of two, at least 4 */
    int variants;  /* of each part; a power of two */
    float *plain;  /* cosine-weighted: [rays][variants][3] */
    float *bumped; /* every second part cosine-weighted, the others uniform */
};

void sky_table_init(struct sky_table *table, int rays);
void sky_table_free(struct sky_table *table);

/* The share of the sky's light that falls on some luxels, each by its own rays, into `sums`: slots
 * * count floats for the whole face, of which those of the luxels are set. */
void sky_rays(struct direct_face *face, const int *luxels, int count, float *sums);

#endif
