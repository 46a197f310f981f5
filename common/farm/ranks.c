#include "common/farm/ranks.h"

#include <stdlib.h>

#include "common/core/clock.h"
#include "common/core/ending.h"
#include "common/core/memory.h"
#include "common/core/status.h"
#include "common/farm/ranks_state.h"

struct ranks *ranks_new(const struct ranks_ops *ops, void *self, int rank, int count)
{
    struct ranks *ranks = memory_zalloc(1, sizeof *ranks);
    *ranks = (struct ranks){
        .ops = ops, .self = self, .rank = rank, .count = count, .piece = RANKS_PIECE, .share = 1};
    return ranks;
}

void ranks_free(struct ranks *ranks)
{
    if (!ranks)
        return;
    bytes_free(&ranks->packed);
    bytes_free(&ranks->gathered);
    memory_free(ranks);
}

int ranks_rank(const struct ranks *ranks)
{
    return ranks ? ranks->rank : 0;
}

int ranks_count(const struct ranks *ranks)
{
    return ranks ? ranks->count : 1;
}

static void broadcast_from(struct ranks *ranks, int root, unsigned char *data, size_t size)
{
    for (size_t at = 0; at < size; at += ranks->piece) {
        size_t left = size - at;
        ranks->ops->broadcast(ranks->self, root, data + at,
                              left < ranks->piece ? left : ranks->piece);
    }
    if (ranks->rank == root)
        ranks->sent += size * (uint64_t)(ranks->count - 1);
}

void ranks_broadcast_block(struct ranks *ranks, void *data, size_t size)
{
    if (ranks_count(ranks) > 1)
        broadcast_from(ranks, 0, data, size);
}

void ranks_broadcast(struct ranks *ranks, struct bytes *bytes)
{
    if (ranks_count(ranks) == 1)
        return;
    uint64_t size = bytes->size;
    ranks_broadcast_block(ranks, &size, sizeof size);
    if (ranks->rank != 0) {
        bytes_undo(bytes, 0);
        (void)bytes_extend(bytes, (size_t)size);
    }
    ranks_broadcast_block(ranks, bytes->data, (size_t)size);
}

/* Each rank's part from that rank, in pieces. */
static void gather_large(struct ranks *ranks, const struct bytes *mine, struct ranks_parts *parts)
{
    if (mine->size)
        memcpy(parts->all.data + parts->first[ranks->rank], mine->data, mine->size);
    for (int i = 0; i < ranks->count; i++)
        broadcast_from(ranks, i, parts->all.data + parts->first[i],
                       parts->first[i + 1] - parts->first[i]);
}

/* The same number of bytes of each rank. */
static void gather_equal(struct ranks *ranks, const void *mine, size_t size, void *all)
{
    size_t count = (size_t)ranks->count, *sizes = memory_zalloc(count, sizeof *sizes);
    for (size_t i = 0; i < count; i++)
        sizes[i] = size;
    ranks->ops->gather(ranks->self, mine, sizes, all);
    ranks->sent += size * (count - 1);
    memory_free(sizes);
}

struct ranks_parts ranks_gather(struct ranks *ranks, const struct bytes *mine)
{
    struct ranks_parts parts = {0};
    ranks_gather_again(ranks, mine, &parts);
    return parts;
}

void ranks_gather_again(struct ranks *ranks, const struct bytes *mine, struct ranks_parts *out)
{
    size_t count = (size_t)ranks_count(ranks);
    struct ranks_parts parts = {.all = out->all,
                                .first = memory_zalloc(count + 1, sizeof *parts.first)};
    parts.all.size = 0;
    if (count == 1) {
        parts.first[1] = mine->size;
        bytes_append(&parts.all, mine->data, mine->size);
        *out = parts;
        return;
    }
    size_t *sizes = memory_zalloc(count, sizeof *sizes);
    gather_equal(ranks, &mine->size, sizeof mine->size, sizes);
    for (size_t i = 0; i < count; i++)
        if (__builtin_add_overflow(parts.first[i], sizes[i], &parts.first[i + 1]))
            ranks_fail(ranks, "another rank has more bytes than there can be");
    if (parts.first[count])
        (void)bytes_extend(&parts.all, parts.first[count]);
    if (parts.first[count] > ranks->piece) {
        gather_large(ranks, mine, &parts);
    } else if (parts.first[count]) {
        ranks->ops->gather(ranks->self, mine->data, sizes, parts.all.data);
        ranks->sent += mine->size * (uint64_t)(count - 1);
    }
    memory_free(sizes);
    *out = parts;
}

void ranks_parts_free(struct ranks_parts *parts)
{
    bytes_free(&parts->all);
    memory_free(parts->first);
}

void ranks_sum(struct ranks *ranks, int64_t *numbers, size_t count)
{
    if (ranks_count(ranks) == 1 || !count)
        return;
    size_t size = count * sizeof *numbers, all = (size_t)ranks->count;
    int64_t *of_all = memory_zalloc(all * count, sizeof *of_all);
    gather_equal(ranks, numbers, size, of_all);
    memset(numbers, 0, size);
    for (size_t i = 0; i < all * count; i++) /* wraps: the numbers of others may be any */
        numbers[i % count] = (int64_t)((uint64_t)numbers[i % count] + (uint64_t)of_all[i]);
    memory_free(of_all);
}

bool ranks_any(struct ranks *ranks, bool mine)
{
    int64_t number = mine;
    ranks_sum(ranks, &number, 1);
    return number != 0;
}

void ranks_fail(struct ranks *ranks, const char *fault)
{
    ending_tell(fault);
    ending_run();
    ranks->ops->fail(ranks->self, STATUS_INTERNAL);
    _Exit(STATUS_INTERNAL);
}

struct ranks_use ranks_use(const struct ranks *ranks)
{
    return (struct ranks_use){.cpu_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID),
                              .sent = ranks ? ranks->sent : 0};
}
