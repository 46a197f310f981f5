/* Seams for other ranks: finding them needs no light, so that rank 0 does it while others trace. */
#ifndef VRAD_ENCODE_SEAM_SHARE_H
#define VRAD_ENCODE_SEAM_SHARE_H

#include "common/core/bytes.h"
#include "vrad/encode/seam_pairs.h"

/* Collective: other ranks get the list of rank 0 in place of theirs. */
void seam_list_share(const struct env *env, const struct luxel_map *map, struct seam_list *list);

/* Into an empty list, for a map of this shape: else the reader fails. Free with seam_list_free in
 * any case. */
void seam_list_take(struct byte_reader *from, const struct luxel_map *map, struct seam_list *list);

#endif
