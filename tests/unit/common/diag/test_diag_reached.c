/* The entities that a leak reaches, as they are shown. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/text_stream.h"
#include "common/diag/codes/leaks.def"
#include "common/diag/diag.h"
#include "common/diag/diag_json.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/members.def"

enum { ENTITIES = 9 };

struct leak {
    struct diag *diag;
    char classname[ENTITIES][32];
    struct diag_where reached[ENTITIES];
    struct diag_property properties[ENTITIES][3];
};

/* Reports a leak that names entity 100, and loses the names. */
static const struct diag_entry *report(struct leak *leak, size_t count)
{
    *leak = (struct leak){.diag = diag_new(NULL, NULL)};
    for (size_t i = 0; i < count; i++) {
        struct diag_where *reached = &leak->reached[i];
        snprintf(leak->classname[i], sizeof leak->classname[i], "light_%zu", i);
        *reached = (struct diag_where){.file = "a.vmf", .line = 10 + (int)i};
        reached->entity_id = 100 + (int)i;
        reached->has_point = true;
        reached->point[2] = (double)i;
        leak->properties[i][0] =
            (struct diag_property){.name = DIAG_OF_CLASS, .text = leak->classname[i]};
        leak->properties[i][1] =
            (struct diag_property){.name = DIAG_OF_THROUGH_HOLE, .is_true = i != 2};
        leak->properties[i][2] =
            (struct diag_property){.name = DIAG_OF_IS_NAMED, .is_true = i == 0};
        reached->properties = leak->properties[i];
        reached->property_count = 3;
    }
    struct diag_where where = leak->reached[0];
    const struct diag_property list = {
        .name = DIAG_OF_REACHED, .places = leak->reached, .count = count};
    where.properties = &list;
    where.property_count = 1;
    (void)diag_report(leak->diag, DIAG_LEAK, &where, "m");
    memset(leak->classname, 'x', sizeof leak->classname);
    memset(leak->properties, 0, sizeof leak->properties);
    memset(leak->reached, 0, sizeof leak->reached);
    return diag_entry(leak->diag, 0);
}

/* The text after the first line. */
static void assert_list(const struct diag_entry *entry, bool whole, const char *expected)
{
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    diag_print_text(stream.out, "vbsp", entry, (struct diag_style){.whole = whole});
    text_stream_close(&stream);
    assert_string_equal(strchr(stream.text, '\n') + 1, expected);
    free(stream.text);
}

#define FIRST_FIVE                                                                                 \
    "  also reached: a.vmf:11: light_1 (entity 101, at 0 0 1)\n"                                   \
    "  also reached: a.vmf:12: light_2 (entity 102, at 0 0 2), not through the hole\n"             \
    "  also reached: a.vmf:13: light_3 (entity 103, at 0 0 3)\n"                                   \
    "  also reached: a.vmf:14: light_4 (entity 104, at 0 0 4)\n"                                   \
    "  also reached: a.vmf:15: light_5 (entity 105, at 0 0 5)\n"

static void text_has_the_first(void **state)
{
    (void)state;
    struct leak leak;
    const struct diag_entry *entry = report(&leak, ENTITIES);
    assert_list(entry, false, FIRST_FIVE "  also reached: 3 more (-v lists them)\n");
    assert_list(entry, true,
                FIRST_FIVE "  also reached: a.vmf:16: light_6 (entity 106, at 0 0 6)\n"
                           "  also reached: a.vmf:17: light_7 (entity 107, at 0 0 7)\n"
                           "  also reached: a.vmf:18: light_8 (entity 108, at 0 0 8)\n");
    diag_free(leak.diag);
    assert_list(report(&leak, 6), false, FIRST_FIVE);
    diag_free(leak.diag);
    assert_list(report(&leak, 1), false, "");
    diag_free(leak.diag);
}

static void json_has_all(void **state)
{
    (void)state;
    struct leak leak;
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    diag_print_json(stream.out, "vbsp", report(&leak, ENTITIES));
    text_stream_close(&stream);
    json_t *object = json_loads(stream.text, 0, NULL), *list = json_object_get(object, "reached");
    assert_int_equal(json_array_size(list), ENTITIES);
    for (size_t i = 0; i < ENTITIES; i++) {
        const json_t *reached = json_array_get(list, i);
        char name[16];
        snprintf(name, sizeof name, "light_%zu", i);
        assert_string_equal(json_string_value(json_object_get(reached, "class")), name);
        assert_int_equal(json_integer_value(json_object_get(reached, "line")), 10 + i);
        assert_int_equal(json_integer_value(json_object_get(reached, "entity")), 100 + i);
        assert_int_equal(json_array_size(json_object_get(reached, "point")), 3);
        assert_int_equal(json_is_true(json_object_get(reached, "through_hole")), i != 2);
    }
    json_decref(object);
    free(stream.text);
    diag_free(leak.diag);
}

/* They are no part of the place, which the summary repeats. */
static void the_summary_has_none(void **state)
{
    (void)state;
    struct leak leak;
    (void)report(&leak, ENTITIES);
    struct diag_group *groups = diag_summary(leak.diag);
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    diag_summary_json(stream.out, "vbsp", groups);
    text_stream_close(&stream);
    assert_null(strstr(stream.text, "reached"));
    free(stream.text);
    arrfree(groups);
    diag_free(leak.diag);
}

SUITE(test_diag_reached)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_the_first),
        cmocka_unit_test(json_has_all),
        cmocka_unit_test(the_summary_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
