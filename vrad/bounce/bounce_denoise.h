/* Denoising of gathered light. */
#ifndef VRAD_BOUNCE_BOUNCE_DENOISE_H
#define VRAD_BOUNCE_BOUNCE_DENOISE_H

#include "vrad/luxels/irradiance_cells.h"

/* Denoises gathered light: moves the gathered points of cells in which light may be interpolated
 * towards the prediction from their neighbours, as far as their own noise explains the deviation. A
 * stronger deviation and the mean curvature of the face are kept; linear light does not change.
 * Luxels outside of cells that have gathered one by one (`known`, LUXEL_GATHERED) are predicted
 * from those beside them.
 *
 * `variance` is that of the brightness of each gathered luxel, slots * count floats. */
void bounce_denoise(struct face_light *light, const struct irradiance_cell *cells, ptrdiff_t count,
                    const unsigned char *known, const float *variance);

#endif
