#include "common/core/random.h"

#define MULTIPLIER 16807
#define MODULUS    2147483647

enum { WARM_UP = 8 };

static int32_t step(int32_t state)
{
    return (int32_t)((int64_t)state * MULTIPLIER % MODULUS);
}

static void begin(struct shuffled_stream *stream)
{
    stream->state = 1;
    for (int i = SHUFFLED_SLOTS + WARM_UP - 1; i >= 0; i--) {
        stream->state = step(stream->state);
        if (i < SHUFFLED_SLOTS)
            stream->slots[i] = stream->state;
    }
    stream->last = stream->slots[0];
}

double shuffled_next(struct shuffled_stream *stream)
{
    if (!stream->last)
        begin(stream);
    stream->state = step(stream->state);
    int slot = stream->last / (1 + (MODULUS - 1) / SHUFFLED_SLOTS);
    stream->last = stream->slots[slot];
    stream->slots[slot] = stream->state;
    double value = stream->last / (double)MODULUS;
    return value < 1 ? value : 0;
}
