/* The bounced light of a face: of every luxel, or narrow: of the gathered ones, with the cells
 * between which it is interpolated. */
#ifndef VRAD_LUXELS_BOUNCED_H
#define VRAD_LUXELS_BOUNCED_H

#include "vrad/luxels/irradiance_cells.h"

struct narrow_light {
    int points, cell_count;
    int *luxels;                   /* gathered, in ascending order */
    float *light;                  /* slots * 3 per point */
    struct irradiance_cell *cells; /* in the order in which they are filled */
};

/* Ends the gathering of a face, whose `indirect` holds the light of its gathered luxels (`known`):
 * fills the cells, or with `narrow` keeps only what they are filled from, where that is less. */
void bounced_store(struct face_light *face, const struct irradiance_cell *cells, int count,
                   unsigned char *known, bool narrow);

/* Bounced light of a luxel, 3 numbers: 0 without any. */
void bounced_at(const struct face_light *face, int slot, int luxel, float out[3]);

/* That of all luxels of a slot, 3 * count numbers; NULL without any. `room` has so many. */
const float *bounced_all(const struct face_light *face, int slot, float *room);

/* Stores it for every luxel, so that `indirect` may be changed. */
void bounced_widen(struct face_light *face);

/* Returns one block, to be filled: the record, cells, light and luxels. */
struct narrow_light *bounced_narrow_new(const struct face_light *face, int points, int cells);

void bounced_free(struct face_light *face);

#endif
