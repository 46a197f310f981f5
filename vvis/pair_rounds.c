#include "vvis/pair_rounds.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"

enum { ROUNDS = 384, ROUND_LEAST = 256 /* pairs */ };

/* So many hard pairs keep all threads busy together. */
enum { ENOUGH = 64 };

const struct effort pair_efforts[EFFORTS] = {
    {4, 48, 1}, {24, 1024, 1}, {56, 32768, 4}, {120, 1 << 17, 16}};

/* Before the pairs come the number of the round and how many there are. */
enum { KEPT_HEAD = 2 };

/* A pair in a word: the two clusters, how hard it is, from where a walk came through. */
enum { CLUSTER_BITS = 24, EFFORT_AT = 2 * CLUSTER_BITS, ARRIVED_AT = EFFORT_AT + 8 };

/* No effort has more than the pairs of a round and what did not suffice for a round before. */
struct bit_rows pair_rounds_kept(int clusters)
{
    size_t count = (size_t)clusters, round = count * count / 2 / ROUNDS + ROUND_LEAST;
    return bit_rows_new(1, 64 * (KEPT_HEAD + EFFORTS * (round + ENOUGH)));
}

static void take_kept(struct pair_rounds *rounds)
{
    const uint64_t *words = rounds->kept.data, mask = ((uint64_t)1 << CLUSTER_BITS) - 1;
    size_t count = (size_t)words[1];
    rounds->number = (size_t)words[0];
    for (size_t i = KEPT_HEAD; i < KEPT_HEAD + count && i < rounds->kept.words; i++) {
        struct pair pair = {.a = (int)(words[i] & mask),
                            .b = (int)(words[i] >> CLUSTER_BITS & mask),
                            .effort = (int)(words[i] >> EFFORT_AT & 0xff),
                            .walked = true};
        for (int side = 0; side < 2; side++)
            pair.arrived[side] = words[i] >> (ARRIVED_AT + side) & 1;
        int clusters = rounds->list.sight->portals->cluster_count;
        if (pair.a < clusters && pair.b < clusters && pair.effort > 0 && pair.effort < EFFORTS)
            arrput(rounds->carried[pair.effort], pair);
    }
}

void pair_rounds_keep(struct pair_rounds *rounds)
{
    uint64_t *words = rounds->kept.data;
    size_t at = KEPT_HEAD;
    memset(words, 0, rounds->kept_words * sizeof *words);
    for (int effort = 0; effort < EFFORTS; effort++) {
        for (size_t i = 0; i < arrlenu(rounds->carried[effort]) && at < rounds->kept.words; i++) {
            const struct pair *pair = &rounds->carried[effort][i];
            words[at++] = (uint64_t)pair->a | (uint64_t)pair->b << CLUSTER_BITS |
                          (uint64_t)pair->effort << EFFORT_AT |
                          (uint64_t)pair->arrived[0] << ARRIVED_AT |
                          (uint64_t)pair->arrived[1] << (ARRIVED_AT + 1);
        }
    }
    words[0] = rounds->number;
    words[1] = at - KEPT_HEAD;
    rounds->kept_words = at;
}

void pair_rounds_new(const struct sight *sight, const struct bit_rows *candidates, size_t start,
                     bool sort, struct bit_rows kept, struct pair_rounds *out)
{
    memset(out, 0, sizeof *out);
    pair_list_new(sight, candidates, sort, &out->list);
    out->size = out->list.count / ROUNDS + ROUND_LEAST;
    out->start = start;
    out->kept = kept;
    out->kept_words = kept.words;
    take_kept(out);
}

void pair_rounds_free(struct pair_rounds *rounds)
{
    for (int i = 0; i < EFFORTS; i++)
        arrfree(rounds->carried[i]);
    arrfree(rounds->todo);
    pair_list_free(&rounds->list);
}

/* How many of list.pairs the next round has. */
static size_t slice_size(const struct pair_rounds *rounds)
{
    size_t left = arrlenu(rounds->list.pairs) - rounds->slice;
    return left < rounds->size ? left : rounds->size;
}

/* Passes over what an earlier run has done. */
static bool more_new(struct pair_rounds *rounds)
{
    for (;;) {
        if (rounds->slice == arrlenu(rounds->list.pairs)) {
            rounds->slice = 0;
            if (!pair_list_next(&rounds->list))
                return false;
        }
        if (rounds->at >= rounds->start)
            return true;
        rounds->at += slice_size(rounds);
        rounds->slice += slice_size(rounds);
    }
}

bool pair_rounds_more(struct pair_rounds *rounds)
{
    size_t carried = 0;
    for (int i = 0; i < EFFORTS; i++)
        carried += arrlenu(rounds->carried[i]);
    return more_new(rounds) || carried;
}

void pair_rounds_begin(struct pair_rounds *rounds)
{
    size_t count = slice_size(rounds);
    arrsetlen(rounds->todo, 0);
    for (int effort = EFFORTS - 1; effort > 0; effort--) {
        size_t carried = arrlenu(rounds->carried[effort]);
        /* with nothing new left there is nothing to wait for */
        if (count && carried < ENOUGH && rounds->number % (size_t)pair_efforts[effort].period)
            continue;
        for (size_t i = 0; i < carried; i++)
            arrput(rounds->todo, rounds->carried[effort][i]);
        arrsetlen(rounds->carried[effort], 0);
    }
    for (size_t i = 0; i < count; i++)
        arrput(rounds->todo, rounds->list.pairs[rounds->slice + i]);
    rounds->slice += count;
    rounds->at += count;
    rounds->number++;
}

void pair_rounds_end(struct pair_rounds *rounds)
{
    for (size_t i = 0; i < arrlenu(rounds->todo); i++) {
        struct pair pair = rounds->todo[i];
        if (pair.result != FLOW_OPEN)
            continue;
        if (++pair.effort < EFFORTS)
            arrput(rounds->carried[pair.effort], pair);
        else
            rounds->given_up++;
    }
}
