#include <stdatomic.h>
#include <string.h>

#include "common/core/array.h"
#include "common/diag/progress.h"
#include "common/farm/ranks_state.h"

/* So much of a loop (1 / N) is dealt out to the ranks in turn. The rest goes to those that are
 * free: it costs them a request each time. */
enum { DEALT_SHARE = 2 };

struct part {
    size_t first, end;
};

struct loop_job {
    struct ranks *ranks;
    const struct ranks_loop *loop;
    size_t dealt;             /* items, the first ones */
    atomic_size_t mine;       /* of them: those that this rank has begun */
    struct ranks_take wanted; /* the others */
    struct part **done;       /* per thread, an stb_ds array */
};

static bool is_stopped(const struct ranks_loop *loop)
{
    return loop->stop && *loop->stop;
}

static void do_part(struct loop_job *job, struct part part, int thread)
{
    const struct ranks_loop *loop = job->loop;
    size_t end = part.end;
    progress_reached(loop->progress, part.first, loop->count);
    for (part.end = part.first; part.end < end && !is_stopped(loop); part.end++) {
        loop->item(loop->context, part.end, thread);
        if (job->ranks->ops->answer)
            job->ranks->ops->answer(job->ranks->self);
    }
    arrput(job->done[thread], part);
}

/* Returns false when this rank has no more of the items that are dealt out. */
static bool do_dealt(struct loop_job *job, int thread)
{
    const struct ranks *ranks = job->ranks;
    size_t turn = atomic_fetch_add(&job->mine, 1);
    size_t item = turn * (size_t)ranks->count + (size_t)ranks->rank;
    if (item >= job->dealt)
        return false;
    do_part(job, (struct part){item, item + 1}, thread);
    return true;
}

/* One per thread: takes items until none are left. */
static void take_items(void *context, size_t index, int thread)
{
    (void)index;
    struct loop_job *job = context;
    const struct ranks *ranks = job->ranks;
    while (!is_stopped(job->loop) && do_dealt(job, thread))
        continue;
    while (!is_stopped(job->loop)) {
        uint64_t end, first = ranks->ops->take(ranks->self, &job->wanted, &end);
        if (first == end)
            return;
        do_part(job, (struct part){job->dealt + (size_t)first, job->dealt + (size_t)end}, thread);
    }
}

/* The rest, then per part its first item, its count, and the results. */
static void pack_results(const struct loop_job *job, int threads, bool stopped, struct bytes *out)
{
    const struct ranks_loop *loop = job->loop;
    bytes_u8(out, stopped);
    bytes_u8(out, job->ranks->stop && *job->ranks->stop);
    if (loop->pack_rest)
        loop->pack_rest(loop->context, out);
    for (int t = 0; t < threads && loop->pack; t++) {
        for (size_t i = 0; i < arrlenu(job->done[t]); i++) {
            struct part part = job->done[t][i];
            bytes_u32(out, (uint32_t)part.first);
            bytes_u32(out, (uint32_t)(part.end - part.first));
            for (size_t k = part.first; k < part.end; k++)
                loop->pack(loop->context, k, out);
        }
    }
}

void ranks_take_results(const struct ranks_loop *loop, struct byte_reader *in, bool *done)
{
    if (loop->unpack_rest)
        loop->unpack_rest(loop->context, in);
    while (loop->unpack && in->at < in->size && !in->failed) {
        size_t first = read_u32(in), count = read_u32(in);
        if (first > loop->count || count > loop->count - first)
            in->failed = true;
        for (size_t k = first; k < first + count && !in->failed; k++) {
            in->failed = done[k]; /* each item is of one rank */
            done[k] = true;
            if (!in->failed)
                loop->unpack(loop->context, k, in);
        }
    }
}

/* Marks those of this rank. */
static bool *own_items(const struct loop_job *job, int threads)
{
    bool *done = memory_zalloc(job->loop->count + 1, sizeof *done);
    for (int t = 0; t < threads; t++)
        for (size_t i = 0; i < arrlenu(job->done[t]); i++)
            for (size_t k = job->done[t][i].first; k < job->done[t][i].end; k++)
                done[k] = true;
    return done;
}

static bool all_are_done(const struct ranks_loop *loop, const bool *done)
{
    return !loop->unpack || !memchr(done, 0, loop->count);
}

/* Returns whether any rank has stopped. */
static bool take_over(struct loop_job *job, int threads, const struct bytes *mine)
{
    bool *done = own_items(job, threads);
    struct ranks_parts parts = {.all = job->ranks->gathered};
    ranks_gather_again(job->ranks, mine, &parts);
    bool stopped = false;
    for (int r = 0; r < job->ranks->count; r++) {
        struct byte_reader in =
            byte_reader(parts.all.data + parts.first[r], parts.first[r + 1] - parts.first[r]);
        stopped |= read_u8(&in) != 0;
        job->ranks->was_stopped |= read_u8(&in) != 0;
        if (r != job->ranks->rank)
            ranks_take_results(job->loop, &in, done);
        if (in.failed)
            ranks_fail(job->ranks, "results of another rank are damaged");
    }
    if (!stopped && !all_are_done(job->loop, done))
        ranks_fail(job->ranks, "results of another rank are missing");
    memory_free(done);
    job->ranks->gathered = parts.all;
    memory_free(parts.first);
    return stopped;
}

static void keep_buffer(struct bytes *buffer)
{
    buffer->size = 0;
    if (buffer->capacity > RANKS_KEPT)
        bytes_free(buffer);
}

bool ranks_for(struct ranks *ranks, int threads, const struct ranks_loop *loop)
{
    if (ranks_count(ranks) == 1) {
        parallel_for_until(loop->stop, threads, loop->count, loop->item, loop->context);
        return !is_stopped(loop);
    }
    threads = threads > 0 ? threads : 1;
    size_t dealt = loop->count / DEALT_SHARE;
    struct loop_job job = {
        .ranks = ranks,
        .loop = loop,
        .dealt = dealt,
        .wanted = {++ranks->loop, loop->count - dealt, (uint64_t)ranks->count * (uint64_t)threads,
                   loop->grain ? loop->grain : 1},
        .done = memory_zalloc((size_t)threads, sizeof *job.done),
    };
    parallel_for(threads, (size_t)threads, take_items, &job);
    pack_results(&job, threads, is_stopped(loop), &ranks->packed);
    bool stopped = take_over(&job, threads, &ranks->packed);
    keep_buffer(&ranks->packed);
    keep_buffer(&ranks->gathered);
    for (int t = 0; t < threads; t++)
        arrfree(job.done[t]);
    memory_free(job.done);
    return !stopped;
}
