#include "common/core/array.h"
#include "common/diag/progress.h"
#include "common/farm/ranks_state.h"

struct part {
    size_t first, end;
};

struct loop_job {
    struct ranks *ranks;
    const struct ranks_loop *loop;
    struct ranks_take wanted;
    struct part **done; /* per thread, an stb_ds array */
};

static bool is_stopped(const struct ranks_loop *loop)
{
    return loop->stop && *loop->stop;
}

/* One per thread: takes items until none are left. */
static void take_items(void *context, size_t index, int thread)
{
    (void)index;
    struct loop_job *job = context;
    const struct ranks *ranks = job->ranks;
    const struct ranks_loop *loop = job->loop;
    while (!is_stopped(loop)) {
        uint64_t end, first = ranks->ops->take(ranks->self, &job->wanted, &end);
        if (first == end)
            return;
        struct part part = {(size_t)first, (size_t)first};
        progress_reached(loop->progress, part.end, loop->count);
        for (; part.end < (size_t)end && !is_stopped(loop); part.end++)
            loop->item(loop->context, part.end, thread);
        arrput(job->done[thread], part);
    }
}

/* The rest, then per part its first item, its count, and the results. */
static void pack_results(const struct loop_job *job, int threads, bool stopped, struct bytes *out)
{
    const struct ranks_loop *loop = job->loop;
    bytes_u8(out, stopped);
    if (loop->pack_rest)
        loop->pack_rest(loop->context, out);
    for (int t = 0; t < threads && loop->pack; t++) {
        for (size_t i = 0; i < arrlenu(job->done[t]); i++) {
            struct part part = job->done[t][i];
            bytes_u64(out, part.first);
            bytes_u64(out, part.end - part.first);
            for (size_t k = part.first; k < part.end; k++)
                loop->pack(loop->context, k, out);
        }
    }
}

static void unpack_results(const struct ranks_loop *loop, struct byte_reader *in)
{
    if (loop->unpack_rest)
        loop->unpack_rest(loop->context, in);
    while (loop->unpack && in->at < in->size && !in->failed) {
        size_t first = (size_t)read_u64(in), count = (size_t)read_u64(in);
        for (size_t k = first; k < first + count && k < loop->count; k++)
            loop->unpack(loop->context, k, in);
    }
}

/* Returns whether any rank has stopped. */
static bool take_over(struct loop_job *job, const struct bytes *mine)
{
    struct ranks_parts parts = {.all = job->ranks->gathered};
    ranks_gather_again(job->ranks, mine, &parts);
    bool stopped = false;
    for (int r = 0; r < job->ranks->count; r++) {
        struct byte_reader in =
            byte_reader(parts.all.data + parts.first[r], parts.first[r + 1] - parts.first[r]);
        stopped |= read_u8(&in);
        if (r != job->ranks->rank)
            unpack_results(job->loop, &in);
    }
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
    struct loop_job job = {
        .ranks = ranks,
        .loop = loop,
        .wanted = {++ranks->loop, loop->count, (uint64_t)ranks->count * (uint64_t)threads,
                   loop->grain ? loop->grain : 1},
        .done = memory_zalloc((size_t)threads, sizeof *job.done),
    };
    parallel_for(threads, (size_t)threads, take_items, &job);
    pack_results(&job, threads, is_stopped(loop), &ranks->packed);
    bool stopped = take_over(&job, &ranks->packed);
    keep_buffer(&ranks->packed);
    keep_buffer(&ranks->gathered);
    for (int t = 0; t < threads; t++)
        arrfree(job.done[t]);
    memory_free(job.done);
    return !stopped;
}
