/* Files that are read in parts and written from segments. */
#include "tests/support/suite.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/core/strings.h"
#include "common/diag/codes/file_writes.def"
#include "common/diag/diag.h"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"

enum { SIZE = 300000, SPARE = 64 };

struct fixture {
    char folder[SPARE], from[2 * SPARE], to[2 * SPARE];
    unsigned char data[SIZE];
};

static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i * 31 + i / 251);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/brushwork_parts_XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->from, sizeof fixture->from, "%s/from", fixture->folder);
    snprintf(fixture->to, sizeof fixture->to, "%s/to", fixture->folder);
    for (size_t i = 0; i < SIZE; i++)
        fixture->data[i] = byte_at(i);
    assert_int_equal(fs_disk()->ops->write(fs_disk(), fixture->from, fixture->data, SIZE), 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    unlink(fixture->from);
    unlink(fixture->to);
    int left = rmdir(fixture->folder); /* fails when anything else was left */
    free(fixture);
    return left;
}

static void holds(const char *path, const void *data, size_t size)
{
    struct bytes file = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &file), 0);
    assert_int_equal(file.size, size);
    assert_memory_equal(file.data, data, size);
    bytes_free(&file);
}

/* Ten bytes from memory, the source to FIRST, a text that replaces some, and the rest, which
 * moves. */
enum { SEGMENTS = 4, FIRST = 200000, GONE = 1000 };

static const char middle[] = "in between";

static size_t make_segments(const struct fixture *fixture, struct fs_segment segments[SEGMENTS],
                            unsigned char *expected)
{
    size_t length = sizeof middle, rest = SIZE - FIRST - GONE;
    segments[0] = (struct fs_segment){fixture->data, 10, 0};
    segments[1] = (struct fs_segment){.size = FIRST - 10, .offset = 10};
    segments[2] = (struct fs_segment){middle, length, 0};
    segments[3] = (struct fs_segment){.size = rest, .offset = FIRST + GONE};
    memcpy(expected, fixture->data, FIRST);
    memcpy(expected + FIRST, middle, length);
    memcpy(expected + FIRST + length, fixture->data + FIRST + GONE, rest);
    return FIRST + length + rest;
}

static void parts_of_a_file_are_read(void **state)
{
    const struct fixture *fixture = *state;
    unsigned char part[100];
    struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
    assert_int_equal(fs_source_size(source), SIZE);
    assert_int_equal(fs_source_read(source, 12345, sizeof part, part), 0);
    assert_memory_equal(part, fixture->data + 12345, sizeof part);
    assert_int_equal(fs_source_read(source, SIZE, 0, part), 0);
    assert_int_equal(fs_source_read(source, SIZE - 99, 100, part), ERROR_CHANGED);
    fs_source_close(source);
}

static void what_is_no_file_is_no_source(void **state)
{
    const struct fixture *fixture = *state;
    assert_null(fs_source_open(fs_disk(), fixture->to));
    assert_null(fs_source_open(fs_disk(), fixture->folder));
    assert_null(fs_source_open(fs_disk(), "/dev/zero"));
    assert_null(fs_source_open(fs_standard(), "-"));
    assert_int_equal(fs_disk()->ops->write(fs_disk(), fixture->to, "", 0), 0);
    assert_null(fs_source_open(fs_disk(), fixture->to));
}

static void fill(struct fs_staged *staged, uint64_t size)
{
    while (fs_staged_fill(staged, size))
        continue;
}

/* staged: number of its bytes; 0 without a staged file. */
static void write_and_look(const struct fixture *fixture, struct fs *fs, uint64_t staged)
{
    static unsigned char expected[SIZE];
    struct fs_segment segments[SEGMENTS];
    size_t size = make_segments(fixture, segments, expected);
    struct fs_source *source = fs_source_open(fs, fixture->from);
    struct fs_gather all = {.segments = segments, .count = SEGMENTS, .source = source};
    if (staged) {
        all.staged = fs_staged_new(fs, fixture->to, source);
        assert_non_null(all.staged);
        fill(all.staged, staged);
    }
    assert_int_equal(fs_write_gather(fs, fixture->to, &all), 0);
    holds(fixture->to, expected, size);
    fs_staged_free(all.staged);
    fs_source_close(source);
    holds(fixture->from, fixture->data, SIZE);
}

static void segments_become_a_file(void **state)
{
    write_and_look(*state, fs_disk(), 0);
    write_and_look(*state, fs_standard(), 0);
}

/* The staged part may end within a segment, at the start of one, or after all. */
static void a_staged_file_makes_no_difference(void **state)
{
    static const uint64_t sizes[] = {1, 10, 4096, FIRST, FIRST + 5, FIRST + GONE + 77, SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        write_and_look(*state, i % 2 ? fs_disk() : fs_standard(), sizes[i]);
}

static void a_staged_file_that_was_not_filled_makes_no_difference(void **state)
{
    write_and_look(*state, fs_disk(), SIZE + 1);
}

static void a_staged_file_that_was_begun_makes_no_difference(void **state)
{
    struct fixture *fixture = *state;
    static unsigned char expected[SIZE];
    struct fs_segment segments[SEGMENTS];
    size_t size = make_segments(fixture, segments, expected);
    struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
    struct fs_staged *staged = fs_staged_new(fs_disk(), fixture->to, source);
    assert_true(fs_staged_fill(staged, FIRST));
    const struct fs_gather all = {
        .segments = segments, .count = SEGMENTS, .source = source, .staged = staged};
    assert_int_equal(fs_write_gather(fs_disk(), fixture->to, &all), 0);
    holds(fixture->to, expected, size);
    fs_staged_free(staged);
    fs_source_close(source);
}

static void the_source_may_be_the_target(void **state)
{
    struct fixture *fixture = *state;
    static unsigned char expected[SIZE];
    struct fs_segment segments[SEGMENTS];
    size_t size = make_segments(fixture, segments, expected);
    assert_int_equal(chmod(fixture->from, 0640), 0);
    struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
    struct fs_staged *staged = fs_staged_new(fs_disk(), fixture->from, source);
    fill(staged, FIRST);
    assert_int_equal(fs_write_gather(fs_disk(), fixture->from,
                                     &(struct fs_gather){.segments = segments,
                                                         .count = SEGMENTS,
                                                         .source = source,
                                                         .staged = staged}),
                     0);
    holds(fixture->from, expected, size);
    struct stat info;
    assert_int_equal(stat(fixture->from, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    fs_staged_free(staged);
    fs_source_close(source);
}

static void append(const char *path)
{
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fputs("more", file) >= 0, 1);
    fclose(file);
}

/* With a staged file and without: the old file is unchanged, and nothing is left beside it. */
static void a_source_that_changes_is_noticed(void **state)
{
    struct fixture *fixture = *state;
    static unsigned char expected[SIZE];
    struct fs_segment segments[SEGMENTS];
    make_segments(fixture, segments, expected);
    for (int uses_staged = 0; uses_staged < 2; uses_staged++) {
        assert_int_equal(fs_disk()->ops->write(fs_disk(), fixture->to, "old", 3), 0);
        struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
        struct fs_staged *staged =
            uses_staged ? fs_staged_new(fs_disk(), fixture->to, source) : NULL;
        if (staged)
            fill(staged, FIRST);
        append(fixture->from);
        const struct fs_gather all = {
            .segments = segments, .count = SEGMENTS, .source = source, .staged = staged};
        assert_int_equal(fs_write_gather(fs_disk(), fixture->to, &all), ERROR_CHANGED);
        holds(fixture->to, "old", 3);
        fs_staged_free(staged);
        fs_source_close(source);
    }
}

static void a_source_that_is_cut_is_noticed(void **state)
{
    struct fixture *fixture = *state;
    static unsigned char expected[SIZE];
    struct fs_segment segments[SEGMENTS];
    make_segments(fixture, segments, expected);
    struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
    assert_int_equal(truncate(fixture->from, 100), 0);
    const struct fs_gather all = {.segments = segments, .count = SEGMENTS, .source = source};
    assert_int_equal(fs_write_gather(fs_disk(), fixture->to, &all), ERROR_CHANGED);
    assert_int_equal(fs_disk()->ops->kind(fs_disk(), fixture->to), FS_ABSENT);
    fs_source_close(source);
}

/* After replacement by renaming, the source is unchanged. */
static void a_source_may_be_replaced(void **state)
{
    struct fixture *fixture = *state;
    static unsigned char expected[SIZE];
    struct fs_segment segments[SEGMENTS];
    size_t size = make_segments(fixture, segments, expected);
    struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
    assert_int_equal(fs_disk()->ops->write(fs_disk(), fixture->from, "new", 3), 0);
    const struct fs_gather all = {.segments = segments, .count = SEGMENTS, .source = source};
    assert_int_equal(fs_write_gather(fs_disk(), fixture->to, &all), 0);
    holds(fixture->to, expected, size);
    fs_source_close(source);
}

/* A staged file made from an older state of the file is not used. */
static void a_staged_file_of_another_file_is_not_taken(void **state)
{
    struct fixture *fixture = *state;
    static unsigned char expected[SIZE];
    struct fs_segment segments[SEGMENTS];
    size_t size = make_segments(fixture, segments, expected);
    static unsigned char zeros[SIZE];
    assert_int_equal(fs_disk()->ops->write(fs_disk(), fixture->to, zeros, SIZE), 0);
    struct fs_source *other = fs_source_open(fs_disk(), fixture->to);
    struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
    struct fs_staged *staged = fs_staged_new(fs_disk(), fixture->to, other);
    fill(staged, FIRST);
    const struct fs_gather all = {
        .segments = segments, .count = SEGMENTS, .source = source, .staged = staged};
    assert_int_equal(fs_write_gather(fs_disk(), fixture->to, &all), 0);
    holds(fixture->to, expected, size);
    fs_staged_free(staged);
    fs_source_close(source);
    fs_source_close(other);
}

static void a_staged_file_leaves_nothing_behind(void **state)
{
    const struct fixture *fixture = *state;
    struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
    struct fs_staged *staged = fs_staged_new(fs_disk(), fixture->to, source);
    fill(staged, FIRST);
    fs_source_close(source);
    fs_staged_free(staged);
    assert_int_equal(fs_disk()->ops->kind(fs_disk(), fixture->to), FS_ABSENT);
}

static void a_folder_that_is_not_there_is_told(void **state)
{
    struct fixture *fixture = *state;
    char path[3 * SPARE];
    snprintf(path, sizeof path, "%s/none/to", fixture->folder);
    struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
    assert_null(fs_staged_new(fs_disk(), path, source));
    const struct fs_segment segment = {.size = 10};
    const struct fs_gather all = {.segments = &segment, .count = 1, .source = source};
    assert_int_equal(fs_write_gather(fs_disk(), path, &all), ENOENT);
    assert_int_equal(fs_write_gather(fs_disk(), fixture->folder, &all), EISDIR);
    fs_source_close(source);
}

static void devices_are_written_as_they_stand(void **state)
{
    const struct fixture *fixture = *state;
    static unsigned char expected[SIZE];
    struct fs_segment segments[SEGMENTS];
    make_segments(fixture, segments, expected);
    struct fs_source *source = fs_source_open(fs_disk(), fixture->from);
    assert_null(fs_staged_new(fs_disk(), "/dev/null", source));
    const struct fs_gather all = {.segments = segments, .count = SEGMENTS, .source = source};
    assert_int_equal(fs_write_gather(fs_disk(), "/dev/null", &all), 0);
    assert_int_equal(fs_disk()->ops->kind(fs_disk(), "/dev/null"), FS_OTHER);
    fs_source_close(source);
}

/* Makes an empty file in another file system than that of the folder. */
static bool make_elsewhere(const char *folder, char path[SPARE])
{
    static const char *const places[] = {"/dev/shm", "/var/tmp"};
    struct stat here, there;
    assert_int_equal(stat(folder, &here), 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (stat(places[i], &there) != 0 || there.st_dev == here.st_dev)
            continue;
        snprintf(path, SPARE, "%s/brushwork_parts_XXXXXX", places[i]);
        int file = mkstemp(path);
        if (file < 0)
            continue;
        close(file);
        return true;
    }
    return false;
}

/* Copies between two file systems are done differently. */
static void another_file_system_gets_the_same(void **state)
{
    struct fixture *fixture = *state;
    char there[SPARE], kept[2 * SPARE];
    if (!make_elsewhere(fixture->folder, there)) {
        print_message("skipped: no other file system\n");
        return;
    }
    snprintf(kept, sizeof kept, "%s", fixture->to);
    snprintf(fixture->to, sizeof fixture->to, "%s", there);
    write_and_look(fixture, fs_disk(), 0);
    write_and_look(fixture, fs_disk(), FIRST);
    unlink(there);
    snprintf(fixture->to, sizeof fixture->to, "%s", kept);
}

static void memory_has_sources_but_no_staged_files(void **state)
{
    const struct fixture *fixture = *state;
    static unsigned char expected[SIZE];
    struct fs_segment segments[SEGMENTS];
    size_t size = make_segments(fixture, segments, expected);
    struct fs *fs = fs_memory_new();
    assert_int_equal(fs->ops->write(fs, "from", fixture->data, SIZE), 0);
    assert_null(fs_source_open(fs, "to"));
    struct fs_source *source = fs_source_open(fs, "from");
    assert_null(fs_staged_new(fs, "to", source));
    const struct fs_gather all = {.segments = segments, .count = SEGMENTS, .source = source};
    assert_int_equal(fs_write_gather(fs, "to", &all), 0);
    struct bytes out = {0};
    assert_int_equal(fs->ops->read(fs, "to", &out), 0);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, expected, size);
    bytes_free(&out);
    fs_source_close(source);
    fs_memory_free(fs);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Removes what is neither source nor target, which must be whole. */
static void remove_whole_files(const struct fixture *fixture)
{
    char path[512];
    DIR *folder = opendir(fixture->folder);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", fixture->folder, entry->d_name);
        if (entry->d_name[0] == '.' || !strcmp(path, fixture->from) || !strcmp(path, fixture->to))
            continue;
        holds(path, fixture->data, SIZE);
        unlink(path);
    }
    closedir(folder);
}

/* A process that is killed while it writes leaves no unfinished file, at worst a whole one that has
 * not got its name yet. */
static void a_killed_process_leaves_no_unfinished_file(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 8; i++) {
        unlink(fixture->to);
        pid_t child = fork();
        if (child == 0)
            for (;;)
                (void)!fs_disk()->ops->write(fs_disk(), fixture->to, fixture->data, SIZE);
        assert_true(child > 0);
        struct stat about;
        while (stat(fixture->to, &about) != 0)
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        nanosleep(&(struct timespec){.tv_nsec = 3000000 + 1700000L * i}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    remove_whole_files(fixture);
}

static void outputs_are_prepared(void **state)
{
    struct fixture *fixture = *state;
    struct diag *diag = diag_new(NULL, NULL);
    char below[3 * SPARE];
    snprintf(below, sizeof below, "%s/a/b.bsp", fixture->folder);
    assert_int_equal(fs_prepare_output(fs_disk(), diag, below), STATUS_OK);
    snprintf(below, sizeof below, "%s/a", fixture->folder);
    assert_int_equal(fs_disk()->ops->kind(fs_disk(), below), FS_DIRECTORY);
    assert_int_equal(fs_prepare_output(fs_disk(), diag, below), STATUS_FAILED);
    rmdir(below);
    snprintf(below, sizeof below, "%s/from/c.bsp", fixture->folder);
    assert_int_equal(fs_prepare_output(fs_disk(), diag, below), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_FILE_WRITE), 2);
    assert_int_equal(fs_prepare_output(fs_disk(), diag, "-"), STATUS_OK);
    assert_int_equal(fs_prepare_output(fs_disk(), diag, "/dev/null"), STATUS_OK);
    diag_free(diag);
}

SUITE(test_fs_parts_posix)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_of_a_file_are_read),
        TEST(what_is_no_file_is_no_source),
        TEST(segments_become_a_file),
        TEST(a_staged_file_makes_no_difference),
        TEST(a_staged_file_that_was_not_filled_makes_no_difference),
        TEST(a_staged_file_that_was_begun_makes_no_difference),
        TEST(the_source_may_be_the_target),
        TEST(a_source_that_changes_is_noticed),
        TEST(a_source_that_is_cut_is_noticed),
        TEST(a_source_may_be_replaced),
        TEST(a_staged_file_of_another_file_is_not_taken),
        TEST(a_staged_file_leaves_nothing_behind),
        TEST(a_folder_that_is_not_there_is_told),
        TEST(a_killed_process_leaves_no_unfinished_file),
        TEST(outputs_are_prepared),
        TEST(devices_are_written_as_they_stand),
        TEST(another_file_system_gets_the_same),
        TEST(memory_has_sources_but_no_staged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
