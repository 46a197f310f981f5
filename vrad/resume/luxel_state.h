/* Internal: the light of luxels as bytes. */
#ifndef VRAD_RESUME_LUXEL_STATE_H
#define VRAD_RESUME_LUXEL_STATE_H

#include "common/core/bytes.h"
#include "vrad/luxels/luxel.h"

/* Appends the light of all faces but those that keep what they had. */
void luxel_state_append(const struct luxel_map *map, struct bytes *out);

/* Reads on. Returns false when the bytes are not for a map of this shape. */
bool luxel_state_fits(struct byte_reader *from, const struct luxel_map *map);

/* Puts into the map what luxel_state_fits has accepted. */
void luxel_state_take(struct byte_reader *from, struct luxel_map *map);

#endif
