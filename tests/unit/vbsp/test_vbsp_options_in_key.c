/* The options of vbsp in the keys of what it keeps. */
#include "tests/support/options_in_key.h"
#include "vbsp/options.h"

static void each_option_is_in_the_key(void **state)
{
    (void)state;
    assert_true(expect_options_in_key(&vbsp_stage, sizeof(struct vbsp_settings)) > 5);
}

SUITE(test_vbsp_options_in_key)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_option_is_in_the_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
