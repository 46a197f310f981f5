#include "vvis/flow/pair_rounds.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"

enum { ROUNDS = 384, ROUND_MIN = 256 /* pairs */ };

/* So many hard pairs keep all threads busy together. */
enum { ENOUGH = 64 };

const struct effort pair_efforts[EFFORTS] = {
    {4, 48, 1}, {24, 1024, 1}, {56, 32768, 4}, {120, 1 << 17, 16}};

/* What all last efforts may take together: this, and so much of what the others take. The least is
 * about what a second does: maps that are decided in some seconds are decided to the end. */
enum { LAST_CHAINS = 1 << 22, LAST_SHARE = 32 };

/* Before the pairs come the number of the round, how many there are, and the chains. */
enum { KEPT_HEAD = 4 };

/* A pair in a word: the two clusters, how hard it is, from where a walk came through. */
enum { CLUSTER_BITS = 24, EFFORT_AT = 2 * CLUSTER_BITS, ARRIVED_AT = EFFORT_AT + 8 };

/* No effort has more than the pairs of a round and what did not suffice for a round before. */
struct bit_rows pair_rounds_kept(int clusters)
{
    size_t count = (size_t)clusters, round = count * count / 2 / ROUNDS + ROUND_MIN;
    return bit_rows_new(1, 64 * (KEPT_HEAD + EFFORTS * (round + ENOUGH)));
}

static void take_kept(struct pair_rounds *rounds)
{
    const uint64_t *words = rounds->kept.data, mask = ((uint64_t)1 << CLUSTER_BITS) - 1;
    size_t count = (size_t)words[1];
    rounds->number = (size_t)words[0];
    rounds->chains = (int64_t)words[2];
    rounds->last_chains = (int64_t)words[3];
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
    words[2] = (uint64_t)rounds->chains;
    words[3] = (uint64_t)rounds->last_chains;
    rounds->kept_words = at;
}

void pair_rounds_new(const struct sight *sight, const struct bit_rows *candidates, size_t start,
                     bool sort, struct bit_rows kept, struct pair_rounds *out)
{
    memset(out, 0, sizeof *out);
    pair_list_new(sight, candidates, sort, &out->list);
    out->size = out->list.count / ROUNDS + ROUND_MIN;
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

/* How many pairs the last effort has chains for, should they take all that they may. */
static size_t last_room(const struct pair_rounds *rounds)
{
    int64_t left = LAST_CHAINS + rounds->chains / LAST_SHARE - rounds->last_chains;
    int64_t each = 2 * pair_efforts[EFFORTS - 1].chains;
    return left > 0 ? (size_t)((left + each - 1) / each) : 0;
}

/* How many of the carried pairs a round takes on. Of those that need the last effort some may have
 * to wait, or are given up: all when there are no chains left, else those that there is no room to
 * keep. */
static size_t take_on(struct pair_rounds *rounds, int effort)
{
    size_t carried = arrlenu(rounds->carried[effort]);
    if (effort < EFFORTS - 1)
        return carried;
    size_t room = last_room(rounds), max = room ? room + rounds->size : 0;
    if (carried > max) {
        arrsetlen(rounds->carried[effort], max);
        rounds->given_up += carried - max;
        carried = max;
    }
    return carried < room ? carried : room;
}

static void take_pairs(struct pair_rounds *rounds, const struct pair *pairs, size_t count)
{
    size_t at = arrlenu(rounds->todo);
    arrsetlen(rounds->todo, at + count);
    memcpy(rounds->todo + at, pairs, count * sizeof *pairs);
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
        size_t taken = take_on(rounds, effort);
        if (!taken)
            continue;
        take_pairs(rounds, rounds->carried[effort], taken);
        arrdeln(rounds->carried[effort], 0, taken);
    }
    if (count)
        take_pairs(rounds, rounds->list.pairs + rounds->slice, count);
    rounds->slice += count;
    rounds->at += count;
    rounds->number++;
}

void pair_rounds_end(struct pair_rounds *rounds)
{
    for (size_t i = 0; i < arrlenu(rounds->todo); i++) {
        struct pair pair = rounds->todo[i];
        *(pair.effort == EFFORTS - 1 ? &rounds->last_chains : &rounds->chains) += pair.chains;
        pair.chains = 0;
        if (pair.result != FLOW_OPEN)
            continue;
        if (++pair.effort < EFFORTS)
            arrput(rounds->carried[pair.effort], pair);
        else
            rounds->given_up++;
    }
}
