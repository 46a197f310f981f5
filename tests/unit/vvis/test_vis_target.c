/* The engine of a BSP decides how visibility is stored; an unsupported one is reported. */
#include "tests/support/suite.h"

#include "common/bsp/engine.h"
#include "common/diag/codes/bsp_files.def"
#include "vvis/target/target.h"
#include "vvis/vvis.h"

static void families_have_their_target(void **state)
{
    (void)state;
    const struct vis_target *target;
    struct diag *diag = diag_new(NULL, NULL);
    assert_int_equal(vis_target_find(&(struct bsp){.engine = &engine_source}, diag, &target),
                     STATUS_OK);
    assert_ptr_equal(target, &vis_source);
    assert_int_equal(vis_target_find(&(struct bsp){.engine = &engine_quake3}, diag, &target),
                     STATUS_OK);
    assert_ptr_equal(target, &vis_quake3);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
}

static void an_unknown_family_is_reported(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    const struct env env = {.diag = diag};
    const struct engine unknown = {.family = ENGINE_FAMILIES};
    const struct bsp bsp = {.engine = &unknown};
    const struct vis_target *target;
    double radius;
    assert_int_equal(vis_target_find(&bsp, diag, &target), STATUS_FAILED);
    assert_null(target);
    assert_int_equal(vis_radius_of(&env, &vvis_defaults, &bsp, &radius), STATUS_FAILED);
    assert_int_equal(diag_entries(diag), 2);
    assert_int_equal(diag_entry(diag, 0)->code, DIAG_BSP_FORMAT);
    diag_free(diag);
}

SUITE(test_vis_target)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_have_their_target),
        cmocka_unit_test(an_unknown_family_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
