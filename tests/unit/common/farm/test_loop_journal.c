/* Loops that are ended in the middle, and go on from what the journal has stored. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/farm/env_loop.h"
#include "common/farm/loop_journal.h"

enum { ITEMS = 100, LOOPS = 3, NEVER = -1 };

/* Three loops, of which each uses what the one before has made. */
struct work {
    struct env env;
    volatile sig_atomic_t stop;
    uint32_t slots[LOOPS][ITEMS];
    int loop, done, stop_after;
    bool stores;
    struct bytes stored;
    int stores_done, damaged;
};

static bool is_due(void *context)
{
    return ((const struct work *)context)->stores;
}

static bool store(void *context, enum loop_store when, const struct bytes *records)
{
    struct work *work = context;
    if (!work->stores && when == STORE_IF_DUE)
        return false;
    bytes_append(&work->stored, records->data, records->size);
    work->stores_done++;
    return true;
}

static void damaged(void *context)
{
    ((struct work *)context)->damaged++;
}

static void item(void *context, size_t index, int thread)
{
    struct work *work = context;
    (void)thread;
    uint32_t before = work->loop ? work->slots[work->loop - 1][(index * 7) % ITEMS] : 1;
    work->slots[work->loop][index] = before * 31 + (uint32_t)index;
    if (++work->done == work->stop_after)
        work->stop = 1;
}

static void pack(void *context, size_t index, struct bytes *out)
{
    const struct work *work = context;
    bytes_u32(out, work->slots[work->loop][index]);
}

static void unpack(void *context, size_t index, struct byte_reader *in)
{
    struct work *work = context;
    uint32_t value = read_u32(in);
    if (!in->failed)
        work->slots[work->loop][index] = value;
}

/* Runs the loops, stopped after so many items, from records that it takes. */
static void run(struct work *work, bool stores, int stop_after, struct bytes *resumed)
{
    *work = (struct work){.stores = stores, .stop_after = stop_after};
    const struct loop_sink sink = {work, is_due, store, damaged};
    work->env = (struct env){.threads = 1, .stop = &work->stop, .journal = loop_journal_new(&sink)};
    loop_journal_begin(work->env.journal, resumed);
    for (; work->loop < LOOPS && !work->stop; work->loop++)
        env_loop(
            &work->env,
            &(struct ranks_loop){
                .count = ITEMS, .item = item, .context = work, .pack = pack, .unpack = unpack});
    loop_journal_flush(work->env.journal);
    loop_journal_free(work->env.journal);
}

static void expect_same(const struct work *work)
{
    struct work whole;
    run(&whole, false, NEVER, NULL);
    assert_memory_equal(work->slots, whole.slots, sizeof whole.slots);
    bytes_free(&whole.stored);
}

static void a_run_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    for (int stores = 0; stores < 2; stores++) {
        for (int after = 1; after < LOOPS * ITEMS; after += 7) {
            struct work first, second;
            run(&first, stores, after, NULL);
            assert_int_equal(first.done, after);
            run(&second, stores, NEVER, &first.stored);
            assert_int_equal(second.done, LOOPS * ITEMS - after);
            assert_int_equal(second.damaged, 0);
            expect_same(&second);
            bytes_free(&second.stored);
        }
    }
}

static void many_short_runs_come_to_the_end(void **state)
{
    (void)state;
    struct bytes all = {0};
    struct work work;
    int runs = 0;
    do {
        struct bytes resumed = {0};
        bytes_append(&resumed, all.data, all.size);
        run(&work, false, 9, &resumed);
        bytes_append(&all, work.stored.data, work.stored.size);
        bytes_free(&work.stored);
        bytes_free(&resumed);
        assert_in_range(++runs, 1, 34);
    } while (work.stop);
    expect_same(&work);
    bytes_free(&all);
}

/* Of the records the first `size` bytes, of which one is another. */
static void resume_damaged(const struct bytes *records, size_t size, size_t at, unsigned char bit)
{
    struct work work;
    struct bytes bad = {0};
    bytes_append(&bad, records->data, size);
    bad.data[at] ^= bit;
    run(&work, true, NEVER, &bad);
    bytes_free(&bad);
    bytes_free(&work.stored);
    assert_in_range(work.damaged, 0, 1);
}

static void damage_is_found_and_done_again(void **state)
{
    (void)state;
    struct work first, second;
    run(&first, false, ITEMS + 20, NULL);
    const struct bytes records = first.stored;
    for (size_t at = 0; at < records.size; at++)
        resume_damaged(&records, records.size, at, (unsigned char)(1 << at % 8));
    for (size_t size = 1; size < records.size; size++) {
        struct bytes part = {0};
        bytes_append(&part, records.data, size);
        run(&second, true, NEVER, &part);
        expect_same(&second); /* what is left out is done again */
        bytes_free(&second.stored);
        bytes_free(&part);
    }
    first.stored.data[4] ^= 1; /* a loop of another number of items */
    run(&second, true, NEVER, &first.stored);
    assert_int_equal(second.damaged, 1);
    assert_int_equal(second.done, LOOPS * ITEMS);
    expect_same(&second);
    bytes_free(&second.stored);
}

/* Results that do not need to be stored yet take little memory. */
static void what_waits_is_bounded(void **state)
{
    (void)state;
    struct work work;
    run(&work, false, NEVER, NULL);
    assert_int_equal(work.stores_done, 1);
    assert_in_range(work.stored.size, LOOPS * ITEMS * 12, LOOPS * (ITEMS * 12 + 12));
    bytes_free(&work.stored);
}

SUITE(test_loop_journal)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on_where_it_was_stopped),
        cmocka_unit_test(many_short_runs_come_to_the_end),
        cmocka_unit_test(damage_is_found_and_done_again),
        cmocka_unit_test(what_waits_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
