#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/diag/diag_json.h"
#include "common/diag/diag_json_read.h"

static const struct diag_where instance = {.file = "outer.vmf", .line = 3, .entity_id = 9};
static const struct diag_where solids[] = {{.file = "a.vmf", .solid_id = 5},
                                           {.file = "a.vmf", .solid_id = 6}};
static const struct diag_leak leak = {.has_size = true,
                                      .width = 32,
                                      .height = 8,
                                      .area = 256,
                                      .is_only = true,
                                      .solids = solids,
                                      .solid_count = 2,
                                      .has_outside = true,
                                      .outside = {1, 2, 3},
                                      .pointfile = "a.lin"};
static const struct diag_reached reached[] = {
    {.classname = "light", .where = {.file = "a.vmf", .entity_id = 4}, .has_through_hole = true},
    {.classname = "prop", .where = {.file = "a.vmf", .has_point = true, .point = {0.5, 0, -1}}}};

static const struct diag_entry entries[] = {
    {.code = DIAG_FILE_READ, .severity = DIAG_ERROR, .message = "no \"file\"\n"},
    {.code = DIAG_FILE_READ, .severity = DIAG_NOTE, .message = "", .where = {.file = "\xc3\xa9"}},
    {.code = DIAG_LEAK,
     .severity = DIAG_ERROR,
     .message = "m",
     .where = {.file = "a.vmf",
               .line = 7,
               .entity_id = 1,
               .solid_id = 2,
               .side_id = 3,
               .has_point = true,
               .point = {1, 2.5, 3},
               .has_hole = true,
               .hole = {4, 5, 6},
               .placed_by = &instance,
               .leak = &leak,
               .reached = reached,
               .reached_count = 2}},
    {.code = DIAG_TEXT_SYNTAX,
     .severity = DIAG_WARNING,
     .message = "counted",
     .where = {.file = "a.map", .counted = true, .entity_id = 0, .solid_id = 0, .side_id = -1}},
};

static char *print(const struct diag_entry *entry)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    diag_print_json(out, "test", entry);
    fclose(out);
    return text;
}

static void what_is_read_prints_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        struct arena arena = {0};
        struct diag_entry entry;
        char *text = print(&entries[i]);
        json_t *object = json_loads(text, 0, NULL);
        assert_true(diag_json_read(object, &arena, &entry));
        assert_int_equal(entry.severity, entries[i].severity);
        char *again = print(&entry);
        assert_string_equal(again, text);
        json_decref(object);
        arena_free(&arena);
        free(again);
        free(text);
    }
}

static void other_objects_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}",
                                        "[]",
                                        "{\"summary\":[]}",
                                        "{\"code\":\"X999\",\"severity\":\"error\"}",
                                        "{\"code\":\"C001\",\"severity\":\"bad\"}",
                                        "{\"code\":1,\"severity\":\"error\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena = {0};
        struct diag_entry entry;
        json_t *object = json_loads(texts[i], 0, NULL);
        assert_non_null(object);
        assert_false(diag_json_read(object, &arena, &entry));
        json_decref(object);
        arena_free(&arena);
    }
}

SUITE(test_diag_json_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_prints_the_same),
        cmocka_unit_test(other_objects_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
