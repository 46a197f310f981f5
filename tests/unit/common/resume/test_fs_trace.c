#include "tests/support/suite.h"

#include <stdlib.h>

#include "common/core/memory.h"
#include "common/core/sha256.h"
#include "common/resume/fs_trace.h"

static void put(struct fs *memory, const char *path, const char *text)
{
    assert_int_equal(memory->ops->write(memory, path, text, strlen(text)), 0);
}

static void ignore(void *context, const char *name, bool is_directory)
{
    (void)context;
    (void)name;
    (void)is_directory;
}

/* The questions of a run: two files, one of them in part, one that is missing, and a folder. */
static void ask(struct fs *fs)
{
    struct bytes out = {0};
    assert_int_equal(fs->ops->read(fs, "maps/a.vmf", &out), 0);
    assert_int_equal(fs->ops->read_part(fs, "maps/b.vpk", 2, 3, &out), 0);
    assert_int_equal(fs->ops->kind(fs, "maps/a.rad"), FS_ABSENT);
    assert_int_equal(fs->ops->list(fs, "maps", ignore, NULL), 0);
    bytes_free(&out);
}

struct change {
    const char *path, *text; /* to be written after the run */
    const char *changed;     /* the path that is named; NULL: nothing that matters */
};

/* Returns the path that has changed since, or NULL. */
static char *changed_since(struct fs *memory, const struct bytes *noted)
{
    struct fs *trace = fs_trace_new(memory);
    struct byte_reader from = byte_reader(noted->data, noted->size);
    char *changed = NULL;
    enum fs_trace_fit fit = fs_trace_ask_again(trace, &from, &changed);
    assert_int_equal(fit, changed ? FS_TRACE_CHANGED : FS_TRACE_SAME);
    if (!changed) { /* what was asked again is noted, too */
        struct bytes again = {0};
        fs_trace_write(trace, &again);
        assert_true(bytes_equal(&again, noted));
        bytes_free(&again);
    }
    fs_trace_free(trace);
    return changed;
}

static void changes_of_inputs_are_found(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"maps/a.vmf", "a map", NULL},
        {"maps/a.vmf", "a nap", "maps/a.vmf"},
        {"maps/a.vmf", "a map ", "maps/a.vmf"},
        {"maps/b.vpk", "01234x", NULL}, /* behind the part */
        {"maps/b.vpk", "01x345", "maps/b.vpk"},
        {"maps/a.rad", "light", "maps/a.rad"},
        {"maps/new.vmt", "", "maps"},
        {"maps/a.buildcheckpoint", "", NULL},
        {"elsewhere.vmf", "", NULL},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct fs *memory = fs_memory_new();
        struct fs *trace = fs_trace_new(memory);
        struct bytes noted = {0};
        put(memory, "maps/a.vmf", "a map");
        put(memory, "maps/b.vpk", "012345");
        ask(trace);
        fs_trace_write(trace, &noted);
        put(memory, changes[i].path, changes[i].text);
        char *changed = changed_since(memory, &noted);
        if (!changes[i].changed)
            assert_null(changed);
        else
            assert_non_null(strstr(changed, changes[i].changed));
        memory_free(changed);
        bytes_free(&noted);
        fs_trace_free(trace);
        fs_memory_free(memory);
    }
}

/* A run's own outputs are no inputs of it. */
static void own_files_are_not_noted(void **state)
{
    (void)state;
    struct fs *memory = fs_memory_new();
    struct fs *trace = fs_trace_new(memory);
    struct bytes noted = {0}, out = {0};
    put(trace, "a.bsp", "mine");
    assert_int_equal(trace->ops->read(trace, "a.bsp", &out), 0);
    fs_trace_write(trace, &noted);
    assert_int_equal(load_u32(noted.data), 0);
    bytes_free(&noted);
    bytes_free(&out);
    fs_trace_free(trace);
    fs_memory_free(memory);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "xmap", "p1 2", "p1", "pmap", "r-", "k-", "s-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fs *memory = fs_memory_new();
        struct fs *trace = fs_trace_new(memory);
        struct bytes text = {0};
        char *changed = NULL;
        bytes_u32(&text, 1);
        bytes_fill(&text, 0, SHA256_SIZE);
        bytes_u32(&text, (uint32_t)strlen(bad[i]));
        bytes_append(&text, bad[i], strlen(bad[i]));
        struct byte_reader from = byte_reader(text.data, text.size);
        assert_int_equal(fs_trace_ask_again(trace, &from, &changed), FS_TRACE_DAMAGED);
        bytes_free(&text);
        fs_trace_free(trace);
        fs_memory_free(memory);
    }
}

SUITE(test_fs_trace)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_of_inputs_are_found),
        cmocka_unit_test(own_files_are_not_noted),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
