/* Any bytes as the records of finished items that a checkpoint has, behind its checksums: a loop
 * of which each result is a number, and another one like it. */
#include <stdint.h>
#include <string.h>

#include "common/farm/env_loop.h"
#include "common/farm/loop_journal.h"
#include "common/farm/rank_values.h"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ITEMS = 5 };

struct work {
    struct env env;
    float slots[2][ITEMS];
    unsigned char done[2][ITEMS];
    int loop;
    bool damaged;
};

static bool is_due(void *context)
{
    (void)context;
    return false;
}

static bool store(void *context, enum loop_store when, const struct bytes *records)
{
    (void)context;
    (void)records;
    return when != STORE_IF_DUE;
}

static void damaged(void *context)
{
    struct work *work = context;
    check(!work->damaged); /* told once */
    work->damaged = true;
}

static void item(void *context, size_t index, int thread)
{
    struct work *work = context;
    (void)thread;
    check(!work->done[work->loop][index]);
    work->done[work->loop][index] = 1;
    work->slots[work->loop][index] = (float)index;
}

static void pack(void *context, size_t index, struct bytes *out)
{
    const struct work *work = context;
    bytes_append(out, &work->slots[work->loop][index], sizeof(float));
}

static void unpack(void *context, size_t index, struct byte_reader *in)
{
    struct work *work = context;
    float value;
    check(index < ITEMS && !work->done[work->loop][index]);
    rank_floats(in, &value, 1);
    if (in->failed || in->at != in->size)
        return;
    work->slots[work->loop][index] = value;
    work->done[work->loop][index] = 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct work work = {.loop = 0};
    struct bytes resumed = {0};
    const struct loop_sink sink = {&work, is_due, store, damaged};
    bytes_append(&resumed, data, size);
    work.env = (struct env){.threads = 1, .journal = loop_journal_new(&sink)};
    loop_journal_begin(work.env.journal, &resumed);
    for (; work.loop < 2; work.loop++)
        env_loop(
            &work.env,
            &(struct ranks_loop){
                .count = ITEMS, .item = item, .context = &work, .pack = pack, .unpack = unpack});
    loop_journal_free(work.env.journal);
    for (int i = 0; i < 2 * ITEMS; i++)
        check(work.done[i / ITEMS][i % ITEMS]); /* each once, taken or done */
    return 0;
}
