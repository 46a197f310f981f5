/* Sky light on a face. */
#ifndef VRAD_DIRECT_SKY_LIGHT_H
#define VRAD_DIRECT_SKY_LIGHT_H

#include "vrad/direct/receiver.h"

/* Stratified directions around z: one stratum per ray of a luxel, with several random directions
 * each. Made once; luxels pick from it. */
struct sky_table {
    int rays;      /* a power of two, at least 4 */
    int variants;  /* per stratum; a power of two */
    float *plain;  /* cosine-weighted: [rays][variants][3] */
    float *bumped; /* every second stratum cosine-weighted, the others uniform */
};

void sky_table_init(struct sky_table *table, int rays);
void sky_table_free(struct sky_table *table);

/* Sky sampling of a face. */
struct sky_lookup {
    const struct sky_table *table;
    const struct sample_rows *coarse; /* origins of the rays */
};

/* The same for all luxels of the face by adaptive sampling. `brightness` is that of the sky. */
void sky_light(struct receiver *to, const struct sky_lookup *lookup, double brightness,
               float *sums);

#endif
