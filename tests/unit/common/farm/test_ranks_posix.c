#include "tests/support/suite.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/farm/fs_ranks.h"
#include "common/farm/ranks_state.h"
#include "tests/support/child.h"
#include "tests/support/thread_ranks.h"

enum { RANKS_MAX = 8, ITEMS = 1000, LOOPS = 6 }; /* two of each grain */

static const int counts[] = {1, 2, 3, 5, RANKS_MAX};

enum { COUNTS = sizeof counts / sizeof *counts };

/* cmocka's assertions are for its own thread alone. */
static atomic_int faults;

static void expect(bool holds)
{
    atomic_fetch_add(&faults, !holds);
}

static void broadcast_once(void *context, struct ranks *ranks)
{
    const size_t *size = context;
    struct bytes bytes = {0};
    if (ranks_rank(ranks) == 0)
        for (size_t i = 0; i < *size; i++)
            bytes_u8(&bytes, (uint8_t)(i * 7));
    else
        bytes_append_text(&bytes, "of no use");
    ranks_broadcast(ranks, &bytes);
    expect(bytes.size == *size);
    for (size_t i = 0; i < bytes.size; i++)
        expect(bytes.data[i] == (uint8_t)(i * 7));
    bytes_free(&bytes);
}

/* Rank r has r * unit bytes of the value r + 1. */
static void gather_once(void *context, struct ranks *ranks)
{
    const size_t *unit = context;
    size_t rank = (size_t)ranks_rank(ranks), count = (size_t)ranks_count(ranks);
    struct bytes mine = {0};
    bytes_fill(&mine, (unsigned char)(rank + 1), rank * *unit);
    struct ranks_parts parts = ranks_gather(ranks, &mine);
    for (size_t r = 0; r < count; r++) {
        expect(parts.first[r + 1] - parts.first[r] == r * *unit);
        for (size_t i = parts.first[r]; i < parts.first[r + 1]; i++)
            expect(parts.all.data[i] == r + 1);
    }
    expect(parts.all.size == parts.first[count]);
    ranks_parts_free(&parts);
    bytes_free(&mine);
}

/* A piece of 3 bytes cuts everything. */
static void bytes_reach_all_ranks(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 100, 500}, pieces[] = {0, 3};
    for (int i = 0; i < COUNTS; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (int p = 0; p < 2; p++) {
                size_t size = sizes[k];
                thread_ranks_run(counts[i], pieces[p], broadcast_once, &size);
                thread_ranks_run(counts[i], pieces[p], gather_once, &size);
            }
        }
    }
    assert_int_equal(atomic_load(&faults), 0);
}

static void add_up(void *context, struct ranks *ranks)
{
    (void)context;
    int64_t rank = ranks_rank(ranks), count = ranks_count(ranks);
    int64_t numbers[] = {rank, 1, -rank};
    ranks_sum(ranks, numbers, 3);
    expect(numbers[0] == count * (count - 1) / 2 && numbers[1] == count &&
           numbers[2] == -numbers[0]);
    expect(!ranks_any(ranks, false));
    expect(ranks_any(ranks, rank == count - 1));
}

static void numbers_are_added(void **state)
{
    (void)state;
    for (int i = 0; i < COUNTS; i++)
        thread_ranks_run(counts[i], 0, add_up, NULL);
    assert_int_equal(atomic_load(&faults), 0);
}

struct squares {
    uint64_t slots[ITEMS];
    atomic_int done;  /* on this rank */
    uint64_t strange; /* of the rest of other ranks */
};

static atomic_int times[ITEMS];

static void square(void *context, size_t index, int thread)
{
    struct squares *squares = context;
    expect(thread == 0 || thread == 1);
    squares->slots[index] = index * index;
    atomic_fetch_add(&squares->done, 1);
    atomic_fetch_add(&times[index], 1);
}

static void pack(void *context, size_t index, struct bytes *out)
{
    const struct squares *squares = context;
    bytes_u64(out, squares->slots[index]);
}

static void unpack(void *context, size_t index, struct byte_reader *in)
{
    struct squares *squares = context;
    squares->slots[index] = read_u64(in);
    atomic_fetch_add(&squares->done, 1);
}

static void pack_rest(void *context, struct bytes *out)
{
    (void)context;
    bytes_u32(out, 5);
}

static void unpack_rest(void *context, struct byte_reader *in)
{
    struct squares *squares = context;
    squares->strange += read_u32(in);
}

static void loop_over(void *context, struct ranks *ranks)
{
    const size_t *count = context;
    for (int i = 0; i < LOOPS; i++) {
        struct squares *squares = memory_zalloc(1, sizeof *squares);
        const struct ranks_loop loop = {.count = *count,
                                        .grain = (size_t)i % 3,
                                        .item = square,
                                        .context = squares,
                                        .pack = pack,
                                        .unpack = unpack,
                                        .pack_rest = pack_rest,
                                        .unpack_rest = unpack_rest};
        expect(ranks_for(ranks, 2, &loop));
        for (size_t k = 0; k < ITEMS; k++)
            expect(squares->slots[k] == (k < *count ? k * k : 0));
        expect((size_t)atomic_load(&squares->done) == *count);
        expect(squares->strange == 5 * (uint64_t)(ranks_count(ranks) - 1));
        memory_free(squares);
    }
}

static void each_item_is_done_on_one_rank(void **state)
{
    (void)state;
    static const size_t item_counts[] = {0, 1, 7, ITEMS};
    for (int i = 0; i < COUNTS; i++) {
        for (size_t k = 0; k < sizeof item_counts / sizeof *item_counts; k++) {
            size_t count = item_counts[k];
            for (size_t n = 0; n < ITEMS; n++)
                atomic_store(&times[n], 0);
            thread_ranks_run(counts[i], 0, loop_over, &count);
            for (size_t n = 0; n < ITEMS; n++)
                assert_int_equal(atomic_load(&times[n]), n < count ? LOOPS : 0);
        }
    }
    assert_int_equal(atomic_load(&faults), 0);
}

static void loop_until(void *context, struct ranks *ranks)
{
    (void)context;
    struct squares *squares = memory_zalloc(1, sizeof *squares);
    /* the last rank is asked to stop, and all learn it */
    const sig_atomic_t stop = ranks_rank(ranks) == ranks_count(ranks) - 1;
    const struct ranks_loop loop = {.count = ITEMS,
                                    .item = square,
                                    .context = squares,
                                    .pack = pack,
                                    .unpack = unpack,
                                    .stop = &stop};
    expect(!ranks_for(ranks, 2, &loop));
    memory_free(squares);
}

static void a_stopped_rank_stops_all(void **state)
{
    (void)state;
    for (int i = 0; i < COUNTS; i++)
        thread_ranks_run(counts[i], 0, loop_until, NULL);
    assert_int_equal(atomic_load(&faults), 0);
}

static void one_process_needs_no_ranks(void **state)
{
    (void)state;
    struct squares *squares = memory_zalloc(1, sizeof *squares);
    const struct ranks_loop loop = {
        .count = ITEMS, .item = square, .context = squares, .pack = pack, .unpack = unpack};
    assert_int_equal(ranks_rank(NULL), 0);
    assert_int_equal(ranks_count(NULL), 1);
    assert_true(ranks_for(NULL, 2, &loop));
    assert_int_equal(atomic_load(&squares->done), ITEMS);
    memory_free(squares);
}

static void read_too_much(void *context, size_t index, struct byte_reader *in)
{
    (void)context;
    (void)index;
    while (!in->failed)
        (void)read_u32(in);
}

static void loop_of_cut_results(void *context, struct ranks *ranks)
{
    struct squares *squares = memory_zalloc(1, sizeof *squares);
    const struct ranks_loop loop = {
        .count = ITEMS, .item = square, .context = squares, .pack = pack, .unpack = read_too_much};
    (void)context;
    (void)ranks_for(ranks, 1, &loop);
    memory_free(squares);
}

static void run_loop_of_cut_results(void)
{
    thread_ranks_run(2, 0, loop_of_cut_results, NULL);
}

static void results_that_are_cut_end_the_job(void **state)
{
    char text[2000];
    (void)state;
    assert_int_equal(child_status(run_loop_of_cut_results, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C099: "));
    assert_non_null(strstr(text, "results of another rank are damaged"));
}

static void take_byte(void *context, size_t index, struct byte_reader *in)
{
    ((uint8_t *)context)[index] = read_u8(in);
}

/* Results of items 0 and 1, of no item, of one twice, of more than are sent. */
static void results_of_another_rank_are_checked(void **state)
{
    static const uint32_t parts[][3] = {
        {0, 2, 2}, {3, 1, 1}, {0, 4, 4}, {UINT32_MAX, 1, 1}, {1, 2, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint8_t values[3] = {0};
        bool done[4] = {false};
        const struct ranks_loop loop = {.count = 3, .context = values, .unpack = take_byte};
        struct bytes bytes = {0};
        bytes_u32(&bytes, parts[i][0]);
        bytes_u32(&bytes, parts[i][1]);
        bytes_fill(&bytes, 7, parts[i][2]);
        struct byte_reader in = byte_reader(bytes.data, bytes.size);
        ranks_take_results(&loop, &in, done);
        assert_int_equal(in.failed, i > 0);
        assert_true(i > 0 || (done[0] && done[1] && !done[2] && values[1] == 7));
        in = byte_reader(bytes.data, bytes.size);
        ranks_take_results(&loop, &in, done); /* again */
        assert_true(in.failed);
        bytes_free(&bytes);
    }
}

/* --- fs ranks posix --- */

static void count_entry(void *context, const char *name, bool is_directory)
{
    struct bytes *names = context;
    bytes_append_text(names, "%s%s ", name, is_directory ? "/" : "");
}

static bool is(const struct bytes *bytes, const char *text)
{
    return bytes->size == strlen(text) && memcmp(bytes->data, text, bytes->size) == 0;
}

/* The same answers on all ranks, of which only the first has files. */
static void ask(void *context, struct ranks *ranks)
{
    struct fs *below = ranks_rank(ranks) == 0 ? context : NULL;
    struct fs *fs = fs_ranks_new(ranks, below);
    struct bytes out = {0};
    uint64_t size = 0;
    bytes_append(&out, "before ", 7);
    expect(fs->ops->read(fs, "game/a.txt", &out) == 0 && is(&out, "before some text"));
    expect(fs->ops->read(fs, "game/b.txt", &out) == ENOENT && is(&out, "before some text"));
    bytes_undo(&out, 0);
    expect(fs->ops->read_part(fs, "game/a.txt", 5, 100, &out) == 0 && is(&out, "text"));
    bytes_undo(&out, 0);
    expect(fs->ops->kind(fs, "game") == FS_DIRECTORY && fs->ops->kind(fs, "other") == FS_ABSENT);
    expect(fs->ops->size(fs, "game/a.txt", &size) == 0 && size == 9);
    expect(fs->ops->list(fs, "game", count_entry, &out) == 0 && is(&out, "a.txt deep/ empty "));
    bytes_undo(&out, 0);
    expect(fs->ops->read(fs, "game/empty", &out) == 0 && out.size == 0);
    expect(fs->ops->list(fs, "other", count_entry, &out) != 0 && out.size == 0);
    expect(fs->ops->write(fs, "game/c.txt", "x", 1) == EROFS);
    expect(fs_ranks_below(fs) == below);
    bytes_free(&out);
    fs_ranks_free(fs);
}

static void all_ranks_read_what_the_first_reads(void **state)
{
    static const int few[] = {1, 2, 3, 5};
    struct fs *files = fs_memory_new();
    (void)state;
    assert_int_equal(files->ops->write(files, "game/a.txt", "some text", 9), 0);
    assert_int_equal(files->ops->write(files, "game/deep/d", "x", 1), 0);
    assert_int_equal(files->ops->write(files, "game/empty", "", 0), 0);
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        thread_ranks_run(few[i], 0, ask, files);
    assert_int_equal(atomic_load(&faults), 0);
    assert_ptr_equal(fs_ranks_below(files), files);
    fs_memory_free(files);
}

static void ask_another(void *context, struct ranks *ranks)
{
    int rank = ranks_rank(ranks);
    struct fs *fs = fs_ranks_new(ranks, rank == 0 ? context : NULL);
    (void)fs->ops->kind(fs, rank == 1 ? "game/other" : "game");
    fs_ranks_free(fs);
    if (rank != 1)
        ranks_any(ranks, false); /* waits for the one that has failed */
}

static void ask_different_questions(void)
{
    struct fs *files = fs_memory_new();
    thread_ranks_run(3, 0, ask_another, files);
}

static void another_question_ends_the_job(void **state)
{
    char text[2000];
    (void)state;
    assert_int_equal(child_status(ask_different_questions, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C099: "));
    assert_non_null(strstr(text, "ask for different files"));
}

SUITE(test_ranks_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_reach_all_ranks),
        cmocka_unit_test(numbers_are_added),
        cmocka_unit_test(each_item_is_done_on_one_rank),
        cmocka_unit_test(a_stopped_rank_stops_all),
        cmocka_unit_test(one_process_needs_no_ranks),
        cmocka_unit_test(results_of_another_rank_are_checked),
        cmocka_unit_test(results_that_are_cut_end_the_job),
        cmocka_unit_test(all_ranks_read_what_the_first_reads),
        cmocka_unit_test(another_question_ends_the_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
