/* A stream of random numbers in [0, 1): Park and Miller's minimal standard generator behind a
 * Bays-Durham shuffle (Press et al., Numerical Recipes in C, 2nd edition, section 7.1).
 *
 * Only where a known sequence matters: the light samples of a leaf stand where this stream, begun
 * anew in each leaf, puts them (measured: so do all 64 340 in the maps of the corpus). Zero
 * initialises it. Everything else takes random.h. */
#ifndef CORE_SHUFFLED_STREAM_H
#define CORE_SHUFFLED_STREAM_H

#include <stdint.h>

enum { SHUFFLED_SLOTS = 32 };

struct shuffled_stream {
    int32_t state, last;
    int32_t slots[SHUFFLED_SLOTS];
};

double shuffled_next(struct shuffled_stream *stream);

#endif
