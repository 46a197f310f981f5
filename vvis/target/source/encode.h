/* The visibility lump of VBSP files. */
#ifndef VVIS_SOURCE_ENCODE_H
#define VVIS_SOURCE_ENCODE_H

#include "common/core/bytes.h"
#include "vvis/graph/bits.h"

/* A row of (clusters + 7) / 8 bytes, runs of zero bytes as 0 and their number (1 .. 255). */
void encode_row(const uint64_t *row, int clusters, struct bytes *out);

/* Number of clusters; the offsets of each cluster's PVS and PAS row from the start of the lump;
 * then all rows of the PVS, then all of the PAS. Nothing for no clusters. */
void encode_visibility(int threads, const struct bit_rows *pvs, const struct bit_rows *pas,
                       int clusters, struct bytes *out);

#endif
