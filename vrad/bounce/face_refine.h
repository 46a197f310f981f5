/* The adaptive irradiance grid of a face. */
#ifndef VRAD_BOUNCE_FACE_REFINE_H
#define VRAD_BOUNCE_FACE_REFINE_H

#include "vrad/bounce/face_gather.h"

/* Gathers at the points of the grid, and refines its cells level by level, so that the points of a
 * level are traced together, until light may be interpolated in each, or none is left: `smooth`
 * gets those in which it may. */
void face_refine(struct face_gather *at);

#endif
