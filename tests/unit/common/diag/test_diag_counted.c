/* Locations with ids that count from 0, as they are shown. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/text_stream.h"
#include "common/diag/codes/map_files.def"
#include "common/diag/diag.h"
#include "common/diag/diag_text.h"

static const struct diag_where first_brush = {
    .file = "a.map", .line = 9, .counted = true, .entity_id = 0, .solid_id = 0, .side_id = -1};

static char *told(const struct diag_where *where)
{
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    struct diag_entry entry = {DIAG_MAP_BRUSH, DIAG_WARNING, *where, "m"};
    diag_print_text(stream.out, "vbsp", &entry, (struct diag_style){0});
    text_stream_close(&stream);
    return stream.text;
}

static void says(const struct diag_where *where, const char *end)
{
    char *text = told(where);
    size_t length = strlen(text), tail = strlen(end);
    assert_true(length > tail);
    assert_string_equal(text + length - tail, end);
    free(text);
}

static void number_0_is_a_number(void **state)
{
    (void)state;
    struct diag_where where = first_brush;
    says(&where, ": m (entity 0, brush 0)\n");
    where.side_id = 5;
    says(&where, ": m (entity 0, brush 0, side 5)\n");
    where.solid_id = where.side_id = -1;
    says(&where, ": m (entity 0)\n");
    where.entity_id = -1;
    says(&where, ": m\n");
    where = (struct diag_where){.file = "a.vmf", .solid_id = 3};
    says(&where, ": m (solid 3)\n");
}

static void a_solid_is_named_by_its_number(void **state)
{
    (void)state;
    struct diag_where where = first_brush;
    where.entity_id = 12;
    assert_string_equal(diag_solid_number(&where).text, "0 of entity 12");
    where = (struct diag_where){.entity_id = 4, .solid_id = 7};
    assert_string_equal(diag_solid_number(&where).text, "7");
}

static void brushes_of_two_entities_are_two_places(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct diag_where where = first_brush;
    (void)diag_report(diag, DIAG_MAP_BRUSH, &where, "one");
    (void)diag_report(diag, DIAG_MAP_BRUSH, &where, "again");
    where.entity_id = 4;
    (void)diag_report(diag, DIAG_MAP_BRUSH, &where, "other");
    struct diag_group *groups = diag_summary(diag);
    assert_int_equal(groups[0].count, 3);
    assert_int_equal(groups[0].place_count, 2);
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    diag_summary_text(stream.out, "vbsp", groups, true);
    text_stream_close(&stream);
    assert_non_null(strstr(stream.text, "entity 0 brush 0; entity 4 brush 0"));
    free(stream.text);
    arrfree(groups);
    diag_free(diag);
}

SUITE(test_diag_counted)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_0_is_a_number),
        cmocka_unit_test(a_solid_is_named_by_its_number),
        cmocka_unit_test(brushes_of_two_entities_are_two_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
