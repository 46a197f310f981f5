/* Packed luxels: a byte each, since most follow from the axes of their face. */
#ifndef VRAD_LUXELS_LUXEL_PACK_H
#define VRAD_LUXELS_LUXEL_PACK_H

#include "vrad/luxels/luxel.h"

/* Packs the luxels of a face, which are on the heap, if that takes less; else leaves them. */
void luxel_pack_face(struct face_light *face);

#endif
