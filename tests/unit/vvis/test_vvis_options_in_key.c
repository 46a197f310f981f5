/* The options of vvis in the keys of what it keeps. */
#include "tests/support/options_in_key.h"
#include "vvis/vvis.h"

static void each_option_is_in_the_key(void **state)
{
    (void)state;
    assert_true(expect_options_in_key(&vvis_stage, sizeof(struct vvis_options)) > 5);
}

SUITE(test_vvis_options_in_key)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_option_is_in_the_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
