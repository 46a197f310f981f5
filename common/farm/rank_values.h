/* Checks of values that another rank has sent as they are in memory. Such a rank runs the same
 * program, but what it sends is input: a loop whose reader fails ends the job (ranks_for). */
#ifndef FARM_RANK_VALUES_H
#define FARM_RANK_VALUES_H

#include <math.h>

#include "common/core/bytes.h"

/* Sums of so many are in range even for 2^14 of them. */
#define RANK_MAX_COUNT ((int64_t)1 << 48)

/* True when the reader has so many records of a size: to be asked before memory is taken. Else it
 * fails. */
static inline bool rank_has(struct byte_reader *in, size_t count, size_t size)
{
    if (in->failed || (size && count > (in->size - in->at) / size))
        in->failed = true;
    return !in->failed;
}

/* A counter of work. */
static inline int64_t rank_count(struct byte_reader *in)
{
    uint64_t count = read_u64(in);
    if (count > (uint64_t)RANK_MAX_COUNT)
        in->failed = true;
    return in->failed ? 0 : (int64_t)count;
}

/* A flag as it is in memory, of which other bytes than 0 and 1 are none. */
static inline bool rank_is_flag(const void *flag)
{
    return *(const unsigned char *)flag <= 1;
}

static inline bool rank_are_finite(const float *floats, size_t count)
{
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite &= isfinite(floats[i]) != 0;
    return finite;
}

/* Reads floats; the reader fails unless all are finite. */
static inline void rank_floats(struct byte_reader *in, float *out, size_t count)
{
    read_into(in, out, count * sizeof *out);
    if (!rank_are_finite(out, count))
        in->failed = true;
}

#endif
