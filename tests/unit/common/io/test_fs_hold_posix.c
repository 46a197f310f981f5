/* Files that are held from reading to writing. Locks of one process do not count for itself when it
 * opens the file again, so that one process can play both runs. */
#include "tests/support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/strings.h"
#include "common/diag/codes/file_access.def"
#include "common/diag/codes/files.def"
#include "common/diag/diag.h"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"
#include "common/io/fs_hold.h"

enum { NAME = 200 };

struct fixture {
    char folder[64], path[NAME], link[NAME], other[NAME];
    struct diag *diag;
};

static void put(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "/tmp/brushwork_hold_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, NAME, "%s/map.bsp", f->folder);
    snprintf(f->link, NAME, "%s/link.bsp", f->folder);
    snprintf(f->other, NAME, "%s/other.bsp", f->folder);
    put(f->path, "first");
    put(f->other, "first");
    assert_int_equal(symlink("map.bsp", f->link), 0);
    f->diag = diag_new(NULL, NULL);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    unlink(f->path);
    unlink(f->link);
    unlink(f->other);
    assert_int_equal(rmdir(f->folder), 0);
    diag_free(f->diag);
    free(f);
    return 0;
}

static enum status hold(const struct fixture *f, const char *in, const char *out, double seconds,
                        struct fs_hold **out_hold)
{
    return fs_hold_begin(fs_disk(), &(struct fs_waiter){f->diag, NULL, seconds}, in, out, out_hold);
}

static int store(const struct fixture *f, const struct fs_hold *held)
{
    const struct fs_segment segment = {.data = "second", .size = 6};
    return fs_write_gather(fs_disk(), f->path,
                           &(struct fs_gather){.segments = &segment, .count = 1, .hold = held});
}

static void check_text(const struct fixture *f, const char *text)
{
    struct bytes got = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), f->path, &got), 0);
    assert_int_equal(got.size, strlen(text));
    assert_memory_equal(got.data, text, got.size);
    bytes_free(&got);
}

static void one_run_at_a_time_holds_a_file(void **state)
{
    struct fixture *f = *state;
    struct fs_hold *first, *second, *third;
    assert_int_equal(hold(f, f->path, f->path, 0, &first), STATUS_OK);
    assert_non_null(first);
    assert_int_equal(hold(f, f->path, f->path, 0.05, &second), STATUS_FAILED);
    assert_null(second);
    assert_int_equal(diag_entry(f->diag, 0)->code, DIAG_FILE_BUSY);
    fs_hold_end(first);
    assert_int_equal(hold(f, f->path, f->path, 0, &third), STATUS_OK);
    assert_non_null(third);
    fs_hold_end(third);
}

/* The lock is on the file, which is another one after it was replaced. */
static void a_replaced_file_is_held_again(void **state)
{
    struct fixture *f = *state;
    struct fs_hold *first, *second;
    assert_int_equal(hold(f, f->path, f->path, 0, &first), STATUS_OK);
    assert_int_equal(store(f, first), 0);
    assert_int_equal(hold(f, f->path, f->path, 0, &second), STATUS_OK);
    fs_hold_end(first);
    assert_int_equal(fs_hold_check(second), 0);
    assert_int_equal(store(f, second), 0);
    check_text(f, "second");
    fs_hold_end(second);
}

static void other_files_are_not_held(void **state)
{
    struct fixture *f = *state;
    struct fs_hold *none;
    assert_int_equal(hold(f, f->path, f->other, 0, &none), STATUS_OK);
    assert_null(none);
    assert_int_equal(hold(f, "/nowhere/a", f->path, 0, &none), STATUS_OK);
    assert_null(none);
    assert_int_equal(hold(f, "/dev/null", "/dev/null", 0, &none), STATUS_OK);
    assert_null(none);
    assert_int_equal(fs_hold_check(NULL), 0);
}

static void another_name_of_the_file_is_held(void **state)
{
    struct fixture *f = *state;
    struct fs_hold *first, *second;
    assert_int_equal(hold(f, f->path, f->link, 0, &first), STATUS_OK);
    assert_non_null(first);
    assert_int_equal(hold(f, f->path, f->path, 0, &second), STATUS_FAILED);
    fs_hold_end(first);
}

static void nothing_is_written_over_a_changed_file(void **state)
{
    struct fixture *f = *state;
    for (int way = 0; way < 4; way++) {
        struct fs_hold *held;
        put(f->path, "first");
        assert_int_equal(hold(f, f->path, f->path, 0, &held), STATUS_OK);
        if (way == 0)
            put(f->path, "longer than before");
        if (way == 1)
            assert_int_equal(rename(f->other, f->path), 0);
        if (way == 2)
            assert_int_equal(unlink(f->path), 0);
        if (way == 3) { /* of the same size */
            const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
            assert_int_equal(utimensat(AT_FDCWD, f->path, times, 0), 0);
        }
        assert_int_equal(fs_hold_check(held), ERROR_CHANGED);
        assert_int_equal(store(f, held), ERROR_CHANGED);
        fs_hold_end(held);
        if (way == 0)
            check_text(f, "longer than before");
        if (way == 2)
            assert_int_not_equal(access(f->path, F_OK), 0);
        assert_int_equal(unlink(f->path), way == 2 ? -1 : 0);
    }
}

static void what_cannot_be_looked_at_is_reported(void **state)
{
    struct fixture *f = *state;
    struct fs_hold *none;
    char loop[NAME];
    snprintf(loop, sizeof loop, "%s/loop", f->folder);
    assert_int_equal(symlink("loop", loop), 0);
    assert_int_equal(hold(f, loop, loop, 0, &none), STATUS_FAILED);
    assert_int_equal(diag_entry(f->diag, 0)->code, DIAG_FILE_READ);
    unlink(loop);
}

SUITE(test_fs_hold_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_run_at_a_time_holds_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_replaced_file_is_held_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_are_not_held, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_name_of_the_file_is_held, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_written_over_a_changed_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_looked_at_is_reported, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
