#include "tests/support/suite.h"

#include <string.h>

#include "common/core/module.h"
#include "tests/support/module_probe.h"

static void functions_of_a_module_are_called(void **state)
{
    (void)state;
    struct module module = module_load("probe", PROBE_ABI);
    assert_string_equal(module.reason, "");
    const struct probe_functions *functions = module.functions;
    assert_non_null(functions);
    assert_int_equal(functions->twice(21), 42);
    assert_ptr_equal(module_load("probe", PROBE_ABI).functions, functions);
}

static void another_interface_is_refused(void **state)
{
    (void)state;
    struct module module = module_load("probe", PROBE_ABI + 1);
    assert_null(module.functions);
    assert_false(module.absent);
    assert_non_null(strstr(module.reason, "(interface 7, not 8)"));
}

static void absence_is_no_fault(void **state)
{
    (void)state;
    struct module module = module_load("no_such_module", 1);
    assert_null(module.functions);
    assert_true(module.absent);
    assert_non_null(strstr(module.reason, "lib/brushwork/no_such_module.so"));
}

SUITE(test_module_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_a_module_are_called),
        cmocka_unit_test(another_interface_is_refused),
        cmocka_unit_test(absence_is_no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
