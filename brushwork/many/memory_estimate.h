/* How much memory a build takes at most, guessed from the size of its source before it is read.
 *
 * Peaks as the system counts them (maximum resident set), in megabytes, of `brushwork build` with
 * default options:
 *
 *     source                           size  1 thread   by the estimate
 *     box.vmf                         10 KB        14                25
 *     atrium.vmf                     164 KB        19                34
 *     pillars9.vmf                   134 KB        19                32
 *     areaportals.vmf                168 KB        19                34
 *     m03 (jump_byte_a3.vmf)         593 KB        48                60
 *     mid.vmf                       1031 KB        31                87
 *     big.vmf                       2841 KB        63               198
 *     oacmpdm8.map                   433 KB        68                90
 *
 * Each further thread takes about a megabyte. What it cannot see: instances, content of a game,
 * luxel sizes. It is made to be too large rather than too small: runs that are too many end for
 * lack of memory, runs that are too few take longer. Of 155 maps three took more,
 * all of less than 20 KB: displacements and large lit faces, 73 MB at most. */
#ifndef MANY_MEMORY_ESTIMATE_H
#define MANY_MEMORY_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ESTIMATE_START = 24 << 20, /* bytes of a map of nothing */
    ESTIMATE_THREAD = 1 << 20, /* of each thread after the first */
    /* Bytes for each byte of the source. A side takes 80 bytes of text in a MAP, 350 in a VMF. */
    ESTIMATE_OF_VMF = 64,
    ESTIMATE_OF_MAP = 160,
};

static inline uint64_t memory_estimate(uint64_t source_bytes, bool is_map, int threads)
{
    uint64_t each = is_map ? ESTIMATE_OF_MAP : ESTIMATE_OF_VMF;
    return (uint64_t)ESTIMATE_START + source_bytes * each +
           (uint64_t)(threads > 1 ? threads - 1 : 0) * (uint64_t)ESTIMATE_THREAD;
}

#endif
