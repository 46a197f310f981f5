/* Messages that are kept and reported again. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/diag/codes/missing_materials.def"
#include "common/diag/codes/unlit.def"
#include "common/diag/diag_bytes.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/hole.def"
#include "common/diag/properties/members.def"
#include "common/diag/properties/pointfile.def"
#include "common/diag/properties/sketch.def"

static void report_some(struct diag *diag)
{
    const struct diag_where outer = {.file = "map.vmf", .line = 3, .entity_id = 9};
    const struct diag_where where = {.file = "part.vmf",
                                     .line = 7,
                                     .solid_id = 4,
                                     .counted = true,
                                     .has_point = true,
                                     .point = {1, 2.5, -3},
                                     .placed_by = &outer};
    (void)diag_report(diag, DIAG_MATERIAL_MISSING, &where, "\"%s\"", "brick");
    (void)diag_report_as(diag, DIAG_NOTE, DIAG_MATERIAL_MISSING, NULL, "%s", "");
    (void)diag_report(diag, DIAG_NO_LIGHTS,
                      &(struct diag_where){.has_point = true, .point = {0, 0, 1}}, "none");
}

static void assert_same(const struct diag *a, const struct diag *b)
{
    assert_int_equal(diag_entries(a), diag_entries(b));
    for (size_t i = 0; i < diag_entries(a); i++) {
        const struct diag_entry *one = diag_entry(a, i), *other = diag_entry(b, i);
        assert_int_equal(one->code, other->code);
        assert_int_equal(one->severity, other->severity);
        assert_string_equal(one->message, other->message);
        assert_int_equal(one->where.line, other->where.line);
        assert_int_equal(one->where.solid_id, other->where.solid_id);
        assert_int_equal(one->where.counted, other->where.counted);
        assert_int_equal(one->where.has_point, other->where.has_point);
        assert_memory_equal(one->where.point, other->where.point, sizeof one->where.point);
        assert_int_equal(!one->where.file, !other->where.file);
        assert_int_equal(!one->where.placed_by, !other->where.placed_by);
        if (one->where.placed_by)
            assert_int_equal(one->where.placed_by->entity_id, other->where.placed_by->entity_id);
    }
}

static void there_and_back(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL), *again = diag_new(NULL, NULL);
    struct bytes kept = {0};
    report_some(diag);
    assert_true(diag_append(diag, &kept));
    struct byte_reader from = byte_reader(kept.data, kept.size);
    assert_true(diag_read(&from, again));
    assert_int_equal(from.at, from.size);
    assert_same(diag, again);
    for (size_t size = 0; size < kept.size; size++) { /* cut short */
        struct diag *less = diag_new(NULL, NULL);
        from = byte_reader(kept.data, size);
        assert_false(diag_read(&from, less));
        diag_free(less);
    }
    bytes_free(&kept);
    diag_free(diag);
    diag_free(again);
}

/* The code follows the number of reports. */
static void unknown_codes_are_refused(void **state)
{
    (void)state;
    static const int32_t numbers[] = {DIAG_NO_LIGHTS,    0,    -1, INT32_MIN, INT32_MAX,
                                      DIAG_CODE(R, 000), 10001};
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes kept = {0};
    diag_report(diag, DIAG_NO_LIGHTS, NULL, "through a hole");
    assert_true(diag_append(diag, &kept));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct diag *again = diag_new(NULL, NULL);
        struct bytes changed = {0};
        bytes_u32(&changed, 1);
        bytes_i32(&changed, numbers[i]);
        bytes_append(&changed, kept.data + changed.size, kept.size - changed.size);
        struct byte_reader from = byte_reader(changed.data, changed.size);
        assert_int_equal(diag_read(&from, again), numbers[i] == DIAG_NO_LIGHTS);
        assert_int_equal(diag_entries(again), numbers[i] == DIAG_NO_LIGHTS);
        bytes_free(&changed);
        diag_free(again);
    }
    bytes_free(&kept);
    diag_free(diag);
}

static void assert_same_properties(const struct diag_where *a, const struct diag_where *b)
{
    assert_int_equal(a->property_count, b->property_count);
    assert_string_equal(diag_property(a, DIAG_OF_POINTFILE)->text,
                        diag_property(b, DIAG_OF_POINTFILE)->text);
    assert_memory_equal(diag_numbers(a, DIAG_OF_HOLE), diag_numbers(b, DIAG_OF_HOLE),
                        3 * sizeof(double));
    assert_int_equal(diag_property(a, DIAG_OF_WAY)->count, diag_property(b, DIAG_OF_WAY)->count);
    const struct diag_where *solid = &diag_property(b, DIAG_OF_SOLIDS)->places[1];
    assert_int_equal(solid->solid_id, 7);
    assert_string_equal(solid->file, "map.vmf");
    assert_true(diag_is_true(solid, DIAG_OF_IS_NAMED));
}

/* Cut anywhere they are none, and a changed byte is no more than another message. */
static void properties_come_back(void **state)
{
    (void)state;
    static const double numbers[6] = {1, 2, 3, 4, 5, 6};
    const struct diag_property named = {.name = DIAG_OF_IS_NAMED, .is_true = true};
    const struct diag_where solids[] = {
        {.solid_id = 5},
        {.file = "map.vmf", .solid_id = 7, .properties = &named, .property_count = 1}};
    const struct diag_property all[] = {
        {.name = DIAG_OF_HOLE, .numbers = numbers, .count = 3},
        {.name = DIAG_OF_HOLE_IS_ONLY, .is_true = true},
        {.name = DIAG_OF_SOLIDS, .places = solids, .count = 2},
        {.name = DIAG_OF_POINTFILE, .text = "map.lin"},
        {.name = DIAG_OF_WAY, .numbers = numbers, .count = 6},
    };
    const struct diag_where where = {.properties = all, .property_count = sizeof all / sizeof *all};
    struct diag *diag = diag_new(NULL, NULL), *again = diag_new(NULL, NULL);
    struct bytes kept = {0};
    (void)diag_report(diag, DIAG_NO_LIGHTS, &where, "here");
    assert_true(diag_append(diag, &kept));
    struct byte_reader from = byte_reader(kept.data, kept.size);
    assert_true(diag_read(&from, again));
    assert_int_equal(from.at, kept.size);
    assert_same_properties(&diag_entry(diag, 0)->where, &diag_entry(again, 0)->where);
    diag_free(again);
    for (size_t size = 0; size < kept.size; size++)
        for (int changed = 0; changed < 2; changed++) {
            again = diag_new(NULL, NULL);
            kept.data[size] ^= changed ? 0x81 : 0;
            from = byte_reader(kept.data, changed ? kept.size : size);
            assert_false(diag_read(&from, again) && !changed);
            kept.data[size] ^= changed ? 0x81 : 0;
            diag_free(again);
        }
    bytes_free(&kept);
    diag_free(diag);
}

static void locate(void *context, struct diag_where *where)
{
    (void)context;
    where->file = "map.vmf";
}

/* The run that reports a kept message locates it itself. */
static void a_recorder_has_what_was_reported(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL), *recorded = diag_new(NULL, NULL);
    diag_set_locator(diag, locate, NULL);
    diag_set_recorder(diag, recorded);
    (void)diag_report_as(diag, DIAG_NOTE, DIAG_NO_LIGHTS, &(struct diag_where){.entity_id = 5},
                         "a");
    diag_set_recorder(diag, NULL);
    (void)diag_report(diag, DIAG_NO_LIGHTS, NULL, "b");
    assert_int_equal(diag_entries(recorded), 1);
    assert_null(diag_entry(recorded, 0)->where.file);
    assert_int_equal(diag_entry(recorded, 0)->severity, DIAG_NOTE);
    diag_report_again(recorded, diag);
    assert_string_equal(diag_entry(diag, 2)->where.file, "map.vmf");
    assert_int_equal(diag_entry(diag, 2)->severity, DIAG_NOTE);
    diag_free(diag);
    diag_free(recorded);
}

static void what_is_known_is_not_reported_again(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL), *more = diag_new(NULL, NULL);
    (void)diag_report(diag, DIAG_NO_LIGHTS, NULL, "entity 1: first \"a\"");
    (void)diag_report(more, DIAG_NO_LIGHTS, NULL, "first \"a\"");
    (void)diag_report(more, DIAG_NO_LIGHTS, NULL, "first \"b\"");
    (void)diag_report(more, DIAG_MATERIAL_MISSING, NULL, "first \"a\"");
    diag_report_new(more, diag);
    assert_int_equal(diag_entries(diag), 3);
    assert_string_equal(diag_entry(diag, 1)->message, "first \"b\"");
    assert_int_equal(diag_entry(diag, 2)->code, DIAG_MATERIAL_MISSING);
    diag_free(diag);
    diag_free(more);
}

static const char *elsewhere(void *context, const char *file)
{
    (void)file;
    return context;
}

static void files_get_other_names(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    const struct diag_where outer = {.file = "maps/a.vmf", .entity_id = 3};
    const struct diag_where where = {.file = "maps/b.vmf", .line = 7, .placed_by = &outer};
    (void)diag_report(diag, DIAG_MATERIAL_MISSING, &where, "first");
    (void)diag_report(diag, DIAG_NO_LIGHTS, NULL, "second");
    struct diag *renamed = diag_renamed(diag, elsewhere, "other.vmf");
    const struct diag_where *found = &diag_entry(renamed, 0)->where;
    assert_int_equal(diag_entries(renamed), 2);
    assert_string_equal(found->file, "other.vmf");
    assert_int_equal(found->line, 7);
    assert_string_equal(found->placed_by->file, "other.vmf");
    assert_int_equal(found->placed_by->entity_id, 3);
    assert_null(diag_entry(renamed, 1)->where.file);
    assert_string_equal(diag_entry(diag, 0)->where.file, "maps/b.vmf");
    diag_free(renamed);
    diag_free(diag);
}

SUITE(test_diag_bytes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(unknown_codes_are_refused),
        cmocka_unit_test(properties_come_back),
        cmocka_unit_test(a_recorder_has_what_was_reported),
        cmocka_unit_test(what_is_known_is_not_reported_again),
        cmocka_unit_test(files_get_other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
