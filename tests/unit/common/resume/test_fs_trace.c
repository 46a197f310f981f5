#include "tests/support/suite.h"

#include <stdio.h>
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

/* The view of a file: its first character. */
static bool first_character(void *context, const char *name, unsigned char out[SHA256_SIZE])
{
    struct bytes data = {0};
    struct fs *fs = context;
    bool found = fs->ops->read(fs, name, &data) == 0 && data.size;
    if (found)
        sha256_of(data.data, 1, out);
    bytes_free(&data);
    return found;
}

/* Of a file that is hidden only the view counts; of others all. */
static void views_stand_for_hidden_files(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
        bool changes;
    } cases[] = {{"brick", "red", false}, {"brick", "blue", true}, {"other", "blue", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fs *memory = fs_memory_new();
        struct fs *trace = fs_trace_new(memory), *later = fs_trace_new(memory);
        struct bytes noted = {0}, data = {0};
        unsigned char view[SHA256_SIZE];
        char *changed = NULL;
        put(memory, "brick", "r1");
        put(memory, "other", "r1");
        fs_trace_hide_reads(trace, true);
        assert_int_equal(trace->ops->read(trace, "brick", &data), 0);
        fs_trace_hide_reads(trace, false);
        assert_true(first_character(memory, "brick", view));
        fs_trace_note_view(trace, "brick", view);
        assert_int_equal(trace->ops->read(trace, "other", &data), 0);
        fs_trace_write(trace, &noted);
        put(memory, cases[i].path, cases[i].text);
        struct byte_reader from = byte_reader(noted.data, noted.size);
        fs_trace_set_answer(later, first_character, memory);
        assert_int_equal(fs_trace_ask_again(later, &from, &changed),
                         cases[i].changes ? FS_TRACE_CHANGED : FS_TRACE_SAME);
        memory_free(changed);
        /* Nobody can answer. */
        struct fs *nobody = fs_trace_new(memory);
        from = byte_reader(noted.data, noted.size);
        changed = NULL;
        assert_int_not_equal(fs_trace_ask_again(nobody, &from, &changed), FS_TRACE_SAME);
        memory_free(changed);
        bytes_free(&noted);
        bytes_free(&data);
        fs_trace_free(nobody);
        fs_trace_free(later);
        fs_trace_free(trace);
        fs_memory_free(memory);
    }
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

static bool is_of_maps(void *context, const struct fs_trace_question *question)
{
    int *asked = context;
    ++*asked;
    return strncmp(question->path, "maps/", 5) == 0;
}

/* Nobody is asked out of the scope, nor for more bytes than it has. */
static void a_scope_bounds_what_is_asked(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
        bool is_asked;
    } cases[] = {{"rmaps/a", 0, true},
                 {"rmaps/a", 6, true},
                 {"rmaps/a", 5, false},
                 {"rother", 0, false},
                 {"p0 1 other", 0, false},
                 {"p2 3 maps/a", 3, true},
                 {"sother", 0, false},
                 {"p2 3 maps/a", 2, false},
                 {"kother", 0, false},
                 {"lother", 0, false},
                 {"p-2 3 maps/a", 0, false},
                 {"p2 -3 maps/a", 0, false},
                 {"p 2 3 maps/a", 0, false},
                 {"p99999999999999999999 3 maps/a", 0, false},
                 {"p2 9223372036854775807 maps/a", 0, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fs *memory = fs_memory_new(), *trace = fs_trace_new(memory);
        struct bytes text = {0};
        char *changed = NULL;
        int asked = 0;
        put(memory, "maps/a", "a map!");
        put(memory, "other", "secret");
        bytes_u32(&text, 1);
        bytes_fill(&text, 0, SHA256_SIZE);
        bytes_sized_text(&text, cases[i].text);
        struct byte_reader from = byte_reader(text.data, text.size);
        fs_trace_set_scope(trace, &(struct fs_trace_scope){is_of_maps, &asked, cases[i].bytes});
        assert_int_equal(fs_trace_ask_again(trace, &from, &changed),
                         cases[i].is_asked ? FS_TRACE_CHANGED : FS_TRACE_DAMAGED);
        assert_int_equal(fs_trace_has_asked(trace, cases[i].text), cases[i].is_asked);
        memory_free(changed);
        bytes_free(&text);
        fs_trace_free(trace);
        fs_memory_free(memory);
    }
}

static const char *to_here(void *context, const char *path)
{
    (void)context;
    return path + strlen("maps");
}

static const char *to_there(void *context, const char *path)
{
    static char text[64];
    (void)snprintf(text, sizeof text, "%s%s", (const char *)context, path);
    return text;
}

static void count_reads(void *context, char question, const char *path)
{
    int *count = context;
    *count += question == FS_TRACE_READ && strcmp(path, "maps/a.vmf") == 0;
}

/* The questions of one folder are asked in another. */
static void paths_are_kept_in_another_form(void **state)
{
    (void)state;
    struct fs *memory = fs_memory_new(), *trace = fs_trace_new(memory), *later;
    struct bytes noted = {0};
    int count = 0;
    put(memory, "maps/a.vmf", "a map");
    put(memory, "maps/b.vpk", "a pack");
    put(memory, "other/a.vmf", "a map");
    put(memory, "other/b.vpk", "a pack");
    ask(trace);
    fs_trace_each(trace, count_reads, &count);
    assert_int_equal(count, 1);
    assert_true(fs_trace_has_read(trace, "maps/a.vmf"));
    assert_false(fs_trace_has_read(trace, "maps/b.vpk"));
    fs_trace_set_names(trace, &(struct fs_trace_names){NULL, to_here, NULL});
    fs_trace_write(trace, &noted);
    for (int changed = 0; changed < 2; changed++) {
        char *path = NULL;
        if (changed)
            put(memory, "other/b.vpk", "a pick");
        later = fs_trace_new(memory);
        fs_trace_set_names(later, &(struct fs_trace_names){"other", NULL, to_there});
        struct byte_reader from = byte_reader(noted.data, noted.size);
        assert_int_equal(fs_trace_ask_again(later, &from, &path),
                         changed ? FS_TRACE_CHANGED : FS_TRACE_SAME);
        assert_string_equal(changed ? path : "other/b.vpk", "other/b.vpk");
        memory_free(path);
        fs_trace_free(later);
    }
    bytes_free(&noted);
    fs_trace_free(trace);
    fs_memory_free(memory);
}

SUITE(test_fs_trace)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_of_inputs_are_found),
        cmocka_unit_test(own_files_are_not_noted),
        cmocka_unit_test(views_stand_for_hidden_files),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(paths_are_kept_in_another_form),
        cmocka_unit_test(a_scope_bounds_what_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
