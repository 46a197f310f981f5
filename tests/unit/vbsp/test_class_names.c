#include "tests/support/suite.h"

#include <string.h>

#include "vbsp/level/class_names.h"

static void mistyped_classes_are_recognized(void **state)
{
    (void)state;
    assert_string_equal(class_name_meant("func_dor"), "func_door");
    assert_string_equal(class_name_meant("func_detial"), "func_detail");
    assert_string_equal(class_name_meant("info_player_strat"), "info_player_start");
    assert_string_equal(class_name_meant("logik_relay"), "logic_relay");
    assert_string_equal(class_name_meant("prop_statc"), "prop_static");
}

/* Classes of the games, in any case, variants with a number, and what resembles nothing. */
static void others_are_left_alone(void **state)
{
    (void)state;
    assert_null(class_name_meant("func_door"));
    assert_null(class_name_meant("Func_Door"));
    assert_null(class_name_meant("func_door2"));
    assert_null(class_name_meant("weapon_physcannon"));
    assert_null(class_name_meant("lihgt"));
    assert_null(class_name_meant(""));
    assert_null(class_name_meant(
        "a_class_whose_name_is_so_long_that_no_game_would_have_it_whatever_it_may_be_for_"));
}

/* No row is a mistyped other one: the table is searched whole for equal names first. */
static void rows_are_unique_and_in_order(void **state)
{
    (void)state;
    static const char *const names[] = {
#define CLASS_NAME(name) name,
#include "vbsp/level/class_names.def"
#undef CLASS_NAME
    };
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        assert_true(strcmp(names[i - 1], names[i]) < 0);
}

SUITE(test_class_names)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistyped_classes_are_recognized),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(rows_are_unique_and_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
