/* The light of luxels as bytes: of the whole map for a checkpoint, of faces for other ranks. */
#ifndef VRAD_LUXELS_LUXEL_STATE_H
#define VRAD_LUXELS_LUXEL_STATE_H

#include "common/core/bytes.h"
#include "vrad/luxels/luxel.h"

/* Appends the light of all faces but those that keep what they had. */
void luxel_state_append(const struct luxel_map *map, struct bytes *out);

/* Reads on. Returns false when the bytes are not for a map of this shape. */
bool luxel_state_fits(struct byte_reader *from, const struct luxel_map *map);

/* Puts into the map what luxel_state_fits has accepted. */
void luxel_state_take(struct byte_reader *from, struct luxel_map *map);

/* The direct light of a face, which replaces what it has, and with it which luxels are
 * supersampled. The reader fails when it has none. Nothing for a face without luxels, or one that
 * keeps what it had. */
void luxel_state_append_direct(const struct face_light *face, struct bytes *out);
void luxel_state_take_direct(struct byte_reader *from, struct face_light *face);

/* The same for its bounced light. */
void luxel_state_append_bounced(const struct face_light *face, struct bytes *out);
void luxel_state_take_bounced(struct byte_reader *from, struct face_light *face);

/* True when what luxel_state_take_direct or _take_bounced would read is sound: else the reader
 * fails. */
bool luxel_state_look_direct(struct byte_reader *from, const struct face_light *face);
bool luxel_state_look_bounced(struct byte_reader *from, const struct face_light *face);

#endif
