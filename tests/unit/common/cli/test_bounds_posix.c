/* Messages of a run that cannot go on. */
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/ending.h"
#include "common/core/memory.h"
#include "tests/support/child.h"

static void get_no_memory(void)
{
    memory_refused(3 << 20);
}

/* Also before the options are known, and with them the form of the messages. */
static void a_lack_of_memory_has_a_code(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(child_status(get_no_memory, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C350: "));
    assert_non_null(strstr(text, "3 MB asked"));
}

static void a_library_that_aborts_has_a_code(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(child_status(abort, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C099: "));
    assert_non_null(strstr(text, "at the start of tester"));
}

static void meet_a_fault(void)
{
    ending_tell("two and two are five");
    _Exit(STATUS_INTERNAL);
}

static void a_fault_of_the_program_has_a_code(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(child_status(meet_a_fault, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C099: internal error: two and two are five, at"));
}

SUITE(test_bounds_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lack_of_memory_has_a_code),
        cmocka_unit_test(a_library_that_aborts_has_a_code),
        cmocka_unit_test(a_fault_of_the_program_has_a_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
