/* Packed luxels: a byte each, since most follow from the axes of their face. */
#ifndef VRAD_LUXELS_LUXEL_PACK_H
#define VRAD_LUXELS_LUXEL_PACK_H

#include "vrad/luxels/luxel.h"

/* Packs the luxels of a face, which are on the heap, if that takes less; else leaves them. */
void luxel_pack_face(struct face_light *face);

/* Unpacks them again; nothing for those that are not packed. */
void luxel_unpack_face(struct face_light *face);

/* The luxels of a face for other ranks, packed if that takes less. */
void luxel_pack_append(const struct face_light *face, struct bytes *out);
/* Gives them to a face that has none, packed as they came. */
void luxel_pack_take(struct byte_reader *from, struct face_light *face);

#endif
