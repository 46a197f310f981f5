/* The light of the sky on a face. */
#ifndef VRAD_DIRECT_SKY_LIGHT_H
#define VRAD_DIRECT_SKY_LIGHT_H

#include "vrad/direct/receiver.h"

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

/* What luxels look at the sky by. */
struct sky_lookup {
    const struct sky_table *table;
    const struct sample_rows *coarse; /* the samples that rays leave from */
};

/* The share of the sky's light that falls on some luxels, each by its own rays, into `sums`: slots
 * * count floats for the whole face, of which those of the luxels are set. */
void sky_rays(struct receiver *to, const struct sky_lookup *lookup, const int *luxels, int count,
              float *sums);

/* The same for all luxels of the face: measured at some, and at more where it changes fast.
 * `brightness` is that of the sky. */
void sky_light(struct receiver *to, const struct sky_lookup *lookup, double brightness,
               float *sums);

#endif
