#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/text_stream.h"
#include "common/diag/codes/leaks.def"
#include "common/diag/codes/syntax.def"
#include "common/diag/diag_json.h"
#include "common/diag/diag_json_read.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/hole.def"
#include "common/diag/properties/members.def"
#include "common/diag/properties/pointfile.def"

static const struct diag_where instance = {.file = "outer.vmf", .line = 3, .entity_id = 9};
static const struct diag_where solids[] = {{.file = "a.vmf", .solid_id = 5},
                                           {.file = "a.vmf", .solid_id = 6}};
static const double numbers[] = {4, 5, 6, 32, 8, 256, 1, 2, 3};
static const struct diag_property light[] = {{.name = DIAG_OF_CLASS, .text = "light"},
                                             {.name = DIAG_OF_THROUGH_HOLE, .is_true = false}},
                                  prop = {.name = DIAG_OF_CLASS, .text = "prop"};
static const struct diag_where reached[] = {
    {.file = "a.vmf", .entity_id = 4, .properties = light, .property_count = 2},
    {.file = "a.vmf",
     .has_point = true,
     .point = {0.5, 0, -1},
     .properties = &prop,
     .property_count = 1}};
static const struct diag_property leak[] = {
    {.name = DIAG_OF_HOLE, .numbers = numbers, .count = 3},
    {.name = DIAG_OF_HOLE_SIZE, .numbers = numbers + 3, .count = 2},
    {.name = DIAG_OF_HOLE_AREA, .numbers = numbers + 5, .count = 1},
    {.name = DIAG_OF_HOLE_IS_ONLY, .is_true = true},
    {.name = DIAG_OF_SOLIDS, .places = solids, .count = 2},
    {.name = DIAG_OF_OUTSIDE, .numbers = numbers + 6, .count = 3},
    {.name = DIAG_OF_POINTFILE, .text = "a.lin"},
    {.name = DIAG_OF_REACHED, .places = reached, .count = 2}};

static const struct diag_entry entries[] = {
    {.code = DIAG_TEXT_SYNTAX, .severity = DIAG_ERROR, .message = "no \"file\"\n"},
    {.code = DIAG_TEXT_SYNTAX, .severity = DIAG_NOTE, .message = "", .where = {.file = "\xc3\xa9"}},
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
               .placed_by = &instance,
               .properties = leak,
               .property_count = sizeof leak / sizeof *leak}},
    {.code = DIAG_TEXT_SYNTAX,
     .severity = DIAG_WARNING,
     .message = "counted",
     .where = {.file = "a.map", .counted = true, .entity_id = 0, .solid_id = 0, .side_id = -1}},
};

static char *print(const struct diag_entry *entry)
{
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    diag_print_json(stream.out, "test", entry);
    text_stream_close(&stream);
    return stream.text;
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

/* The keys and their order are of the schema (docs/json.md). */
static void properties_keep_their_keys(void **state)
{
    (void)state;
    char *text = print(&entries[2]);
    const char *rest = strstr(text, "\"point\"");
    assert_non_null(rest);
    assert_string_equal(rest,
                        "\"point\":[1.0,2.5,3.0],\"hole\":[4.0,5.0,6.0],\"hole_size\":[32.0,8.0],"
                        "\"hole_area\":256.0,\"hole_is_only\":true,\"solids\":[{\"file\":\"a.vmf\","
                        "\"solid\":5},{\"file\":\"a.vmf\",\"solid\":6}],\"outside\":[1.0,2.0,3.0],"
                        "\"pointfile\":\"a.lin\",\"placed_by\":{\"file\":\"outer.vmf\",\"line\":3,"
                        "\"entity\":9},\"reached\":[{\"class\":\"light\",\"through_hole\":false,"
                        "\"file\":\"a.vmf\",\"entity\":4},{\"class\":\"prop\",\"file\":\"a.vmf\","
                        "\"point\":[0.5,0.0,-1.0]}]}\n");
    free(text);
}

/* A value of another kind is none. */
static void wrong_values_are_left_out(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\"hole\":[1,2]", "\"hole\":[1,2,\"3\"]", "\"hole\":1",         "\"hole_area\":[1]",
        "\"solids\":7",   "\"pointfile\":false",  "\"hole_is_only\":1", "\"\":[1]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena = {0};
        struct diag_entry entry;
        char line[128];
        snprintf(line, sizeof line, "{\"code\":\"V001\",\"severity\":\"error\",%s}", texts[i]);
        json_t *object = json_loads(line, 0, NULL);
        assert_non_null(object);
        assert_true(diag_json_read(object, &arena, &entry));
        assert_int_equal(entry.where.property_count, 0);
        json_decref(object);
        arena_free(&arena);
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
        cmocka_unit_test(properties_keep_their_keys),
        cmocka_unit_test(wrong_values_are_left_out),
        cmocka_unit_test(other_objects_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
