#include "tests/support/suite.h"

#include "common/assets/materials/surfaceprops.h"

static void the_folder_tells(void **state)
{
    (void)state;
    assert_string_equal(surfaceprops_infer("concrete/wall01"), "concrete");
    assert_string_equal(surfaceprops_infer("METAL\\Grate"), "metal");
    assert_string_equal(surfaceprops_infer("Nature/blenddirtgrass001a"), "dirt");
    assert_string_equal(surfaceprops_infer("lights/white001"), "glass");
}

static void other_names_tell_nothing(void **state)
{
    (void)state;
    const char *const names[] = {
        "", "metal", "metalwork/door", "custom/metal/door", "/metal/door", "tools/toolsnodraw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(surfaceprops_infer(names[i]), "default");
}

SUITE(test_surfaceprops_infer)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folder_tells),
        cmocka_unit_test(other_names_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
