/* Visibility in a VBSP: the lump of run-length encoded rows, and the water data of leaves. */
#ifndef VVIS_SOURCE_SOURCE_H
#define VVIS_SOURCE_SOURCE_H

#include "common/bsp/bsp.h"
#include "common/core/sha256.h"
#include "common/env.h"
#include "vvis/graph/bits.h"

/* A row of (clusters + 7) / 8 bytes, runs of zero bytes as 0 and their length (1 .. 255). */
void encode_row(const uint64_t *row, int clusters, struct bytes *out);

/* Number of clusters; the offsets of each cluster's PVS and PAS row from the start of the lump;
 * then all rows of the PVS, then all of the PAS. Empty without clusters. */
void encode_visibility(int threads, const struct bit_rows *pvs, const struct bit_rows *pas,
                       int clusters, struct bytes *out);

/* Sets CONTENTS_TESTFOGVOLUME on the leaves that see a leaf with water data, and each leaf's
 * distance to the nearest visible water surface: box to box, in whole units, 65535 for none.
 * Slime does not count. */
void water_mark(const struct env *env, const struct bit_rows *pvs, int clusters, struct bsp *bsp);

#endif
