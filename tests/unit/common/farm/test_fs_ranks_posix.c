#include "tests/support/suite.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "common/farm/fs_ranks.h"
#include "tests/support/child.h"
#include "tests/support/thread_ranks.h"

static atomic_int faults;

static void expect(bool holds)
{
    atomic_fetch_add(&faults, !holds);
}

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
    static const int counts[] = {1, 2, 3, 5};
    struct fs *files = fs_memory_new();
    (void)state;
    assert_int_equal(files->ops->write(files, "game/a.txt", "some text", 9), 0);
    assert_int_equal(files->ops->write(files, "game/deep/d", "x", 1), 0);
    assert_int_equal(files->ops->write(files, "game/empty", "", 0), 0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        thread_ranks_run(counts[i], 0, ask, files);
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

SUITE(test_fs_ranks_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_read_what_the_first_reads),
        cmocka_unit_test(another_question_ends_the_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
