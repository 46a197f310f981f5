/* Takes noise out of gathered light. */
#ifndef VRAD_BOUNCE_BOUNCE_CALM_H
#define VRAD_BOUNCE_BOUNCE_CALM_H

#include "vrad/bounce/bounce_cells.h"

/* Moves gathered points of cells in which light may be interpolated towards what the points around
 * them say, by as much as their own noise explains: light that bends more than that stays, and so
 * does the mean bend of the face. Linear light stays as it is.
 *
 * `doubt` has the variance of the brightness of each gathered luxel, slots * count floats. */
void bounce_calm(struct face_light *light, const struct cell *cells, ptrdiff_t count,
                 const float *doubt);

#endif
