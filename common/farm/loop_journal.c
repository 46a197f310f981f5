#include "common/farm/loop_journal.h"

#include "common/core/memory.h"
#include "common/diag/progress.h"

/* Records wait in memory up to one size, and are stored in pieces of another. */
#define WAITING_MAX ((size_t)1 << 19)
#define PIECE_MAX   ((size_t)8 << 20)

struct loop_journal {
    struct loop_sink sink;
    bool is_open;
    uint32_t loop;           /* number of the next one */
    struct bytes resumed;    /* records of an earlier run */
    struct byte_reader next; /* in them: those of the next loop */
    struct bytes records;    /* not stored yet */
};

enum item_state { ITEM_OPEN, ITEM_DONE, ITEM_KEPT };

struct run {
    struct loop_journal *journal;
    const struct env *env;
    const struct ranks_loop *loop;
    unsigned char *state; /* per item, an enum item_state */
    size_t *left;         /* items that are open */
    size_t left_count;
    volatile sig_atomic_t pause; /* no further items before the finished ones are kept */
};

struct loop_journal *loop_journal_new(const struct loop_sink *sink)
{
    struct loop_journal *journal = memory_zalloc(1, sizeof *journal);
    journal->sink = *sink;
    return journal;
}

void loop_journal_free(struct loop_journal *journal)
{
    if (!journal)
        return;
    bytes_free(&journal->resumed);
    bytes_free(&journal->records);
    memory_free(journal);
}

void loop_journal_begin(struct loop_journal *journal, struct bytes *resumed)
{
    bytes_free(&journal->resumed);
    bytes_free(&journal->records);
    journal->is_open = true;
    journal->loop = 0;
    if (resumed) {
        journal->resumed = *resumed;
        *resumed = (struct bytes){0};
    }
    journal->next = byte_reader(journal->resumed.data, journal->resumed.size);
}

bool loop_journal_is_open(const struct loop_journal *journal)
{
    return journal && journal->is_open;
}

/* ---- records ----
 *
 * The number of the loop, the number of its items, how many of them follow; of each, its index and
 * its result. */

static ranks_pack *pack_of(const struct ranks_loop *loop)
{
    return loop->keep ? loop->keep : loop->pack;
}

static ranks_unpack *unpack_of(const struct ranks_loop *loop)
{
    return loop->take ? loop->take : loop->unpack;
}

static void keep_item(struct run *run, size_t item)
{
    struct bytes *out = &run->journal->records;
    bytes_u32(out, (uint32_t)item);
    size_t at = out->size;
    bytes_u32(out, 0);
    pack_of(run->loop)(run->loop->context, item, out);
    store_u32(ORDER_LITTLE, out->data + at, (uint32_t)(out->size - at - sizeof(uint32_t)));
    run->state[item] = ITEM_KEPT;
}

/* Appends a record of finished items from *next on, until the records have the size. */
static void keep_some(struct run *run, size_t *next, size_t max)
{
    struct bytes *out = &run->journal->records;
    uint32_t count = 0;
    bytes_u32(out, run->journal->loop);
    bytes_u32(out, (uint32_t)run->loop->count);
    size_t at = out->size;
    bytes_u32(out, 0);
    for (; *next < run->loop->count && out->size < max; ++*next) {
        if (run->state[*next] != ITEM_DONE)
            continue;
        keep_item(run, *next);
        count++;
    }
    store_u32(ORDER_LITTLE, out->data + at, count);
}

static bool flush(struct loop_journal *journal, enum loop_store when)
{
    if (!journal->records.size)
        return true;
    if (!journal->sink.store(journal->sink.context, when, &journal->records))
        return false;
    bytes_free(&journal->records);
    return true;
}

/* Items that come when it is time to store, and do not fit in, are done again. */
static void keep_done(struct run *run)
{
    struct loop_journal *journal = run->journal;
    enum loop_store when = env_stopped(run->env) ? STORE_LAST : STORE_IF_DUE;
    const bool is_time = when == STORE_LAST || journal->sink.is_due(journal->sink.context);
    const size_t max = is_time ? PIECE_MAX : WAITING_MAX;
    size_t next = 0;
    while (next < run->loop->count && journal->records.size < max) {
        keep_some(run, &next, max);
        if (flush(journal, when))
            when = STORE_MORE;
    }
}

void loop_journal_flush(struct loop_journal *journal)
{
    if (loop_journal_is_open(journal))
        (void)flush(journal, STORE_LAST);
}

static bool take_item(struct run *run, struct byte_reader *from)
{
    uint32_t index = read_u32(from), size = read_u32(from);
    const unsigned char *block = read_block(from, size);
    if (!block || index >= run->loop->count || run->state[index] != ITEM_OPEN)
        return false;
    struct byte_reader result = byte_reader(block, size);
    unpack_of(run->loop)(run->loop->context, index, &result);
    if (result.failed || result.at != result.size)
        return false;
    run->state[index] = ITEM_KEPT;
    return true;
}

static void drop_resumed(struct loop_journal *journal)
{
    bytes_free(&journal->resumed);
    journal->next = byte_reader(NULL, 0);
}

/* Takes over the results of the loop that the records have next. */
static bool take_records(struct run *run)
{
    struct loop_journal *journal = run->journal;
    struct byte_reader *from = &journal->next;
    while (from->at < from->size) {
        struct byte_reader record = *from;
        if (read_u32(&record) != journal->loop)
            return true; /* of a later loop; if of none, it is found out there */
        if (read_u32(&record) != run->loop->count)
            return false;
        for (uint32_t left = read_u32(&record); left > 0; left--)
            if (!take_item(run, &record))
                return false;
        if (record.failed)
            return false;
        *from = record;
    }
    drop_resumed(journal);
    return true;
}

static void take_over(struct run *run)
{
    struct loop_journal *journal = run->journal;
    if (take_records(run))
        return;
    journal->sink.damaged(journal->sink.context);
    drop_resumed(journal);
}

/* ---- loops ---- */

static void do_item(void *context, size_t index, int thread)
{
    struct run *run = context;
    size_t item = run->left[index];
    run->loop->item(run->loop->context, item, thread);
    run->state[item] = ITEM_DONE;
    if (env_stopped(run->env) || run->journal->sink.is_due(run->journal->sink.context))
        run->pause = 1;
}

static void list_open(struct run *run)
{
    run->left_count = 0;
    for (size_t i = 0; i < run->loop->count; i++)
        if (run->state[i] == ITEM_OPEN)
            run->left[run->left_count++] = i;
}

void loop_journal_run(struct loop_journal *journal, const struct env *env,
                      const struct ranks_loop *loop)
{
    struct run run = {.journal = journal, .env = env, .loop = loop};
    if (!pack_of(loop) || loop->pack_rest) {
        parallel_for_until(env->stop, env->threads, loop->count, loop->item, loop->context);
        journal->loop++;
        return;
    }
    run.state = memory_zalloc(loop->count + 1, sizeof *run.state);
    run.left = memory_alloc((loop->count + 1) * sizeof *run.left);
    take_over(&run);
    list_open(&run);
    progress_reached(loop->progress, loop->count - run.left_count, loop->count);
    while (run.left_count && !env_stopped(env)) {
        run.pause = 0;
        parallel_for_until(&run.pause, env->threads, run.left_count, do_item, &run);
        keep_done(&run);
        list_open(&run);
    }
    journal->loop++;
    memory_free(run.state);
    memory_free(run.left);
}
