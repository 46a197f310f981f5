/* The options of vrad in the keys of what it keeps. */
#include "tests/support/options_in_key.h"
#include "vrad/vrad.h"

static void each_option_is_in_the_key(void **state)
{
    (void)state;
    assert_true(expect_options_in_key(&vrad_stage, sizeof(struct vrad_options)) > 5);
}

SUITE(test_vrad_options_in_key)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_option_is_in_the_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
