/* Sparse points on the luxels of a face. */
#ifndef VRAD_LATTICE_H
#define VRAD_LATTICE_H

#include "vrad/radiosity.h"

enum { LATTICE_LINES = 128 }; /* more than the luxels of any lightmap across */

/* Columns and rows of luxels; the first and the last are the face's rim. */
struct lattice {
    int16_t columns[LATTICE_LINES], rows[LATTICE_LINES];
    int column_count, row_count;
};

/* Lines at most `spacing` units apart, or one luxel. */
void lattice_build(const struct face_light *face, double spacing, struct lattice *out);

/* Whether light may be interpolated between the luxels: none is hidden, and each sees each other
 * just above the surface. count is at most 4. */
bool lattice_open(const struct radiosity *radiosity, int face, const int *luxels, int count);

/* Lanes i (bits) for which luxel from[i] sees luxel to[i] just above the surface; at most 16. */
uint32_t lattice_sees(const struct radiosity *radiosity, int face, const int *from, const int *to,
                      int count);

#endif
