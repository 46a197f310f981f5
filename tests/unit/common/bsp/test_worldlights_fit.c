/* Which lights are left out where a branch takes no more. */
#include "tests/support/suite.h"

#include "common/bsp/convert/convert.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_fit.def"

enum { TAKES = 8192 };

static struct bsp_worldlight light_of(float intensity)
{
    struct bsp_worldlight light = {.type = WORLDLIGHT_POINT, .quadratic = 1};
    light.intensity[0] = light.intensity[1] = light.intensity[2] = intensity;
    return light;
}

static void fit(struct bsp *bsp, size_t reports)
{
    struct diag *diag = diag_new(NULL, NULL);
    bsp_worldlights_fit(bsp, bsp_format_at(0), diag);
    assert_int_equal(diag_count_code(diag, DIAG_BSP_LIGHTS_LEFT_OUT), reports);
    diag_free(diag);
}

static void as_many_as_fit_stay(void **state)
{
    (void)state;
    struct bsp *bsp = bsp_new();
    for (int i = 0; i < TAKES; i++)
        arrput(bsp->ldr.worldlights, light_of(1));
    fit(bsp, 0);
    assert_int_equal(arrlen(bsp->ldr.worldlights), TAKES);
    bsp_free(bsp);
}

/* The sun and the sky stay whatever their strength, then the strongest; those that the leaves'
 * ambient light has go first, and the order stays. Each set has its own. */
static void the_strongest_stay_in_their_order(void **state)
{
    (void)state;
    struct bsp *bsp = bsp_new();
    struct bsp_worldlight sun = light_of(0.001f), weak = light_of(900);
    sun.type = WORLDLIGHT_SKY;
    weak.flags = 1;
    for (int i = 0; i < TAKES + 2; i++)
        arrput(bsp->hdr.worldlights, light_of(i == 5 ? 1.0f : 2.0f + (float)i));
    arrput(bsp->hdr.worldlights, sun);
    arrput(bsp->hdr.worldlights, weak);
    fit(bsp, 1);
    const struct bsp_worldlight *left = bsp->hdr.worldlights;
    assert_int_equal(arrlen(left), TAKES);
    assert_int_equal(left[TAKES - 1].type, WORLDLIGHT_SKY);
    /* Gone: the weak one, number 5, then 0 and 1 as far as needed. */
    assert_true(left[0].intensity[0] > 3.5f);
    for (int i = 1; i < TAKES - 1; i++)
        assert_true(left[i].intensity[0] > left[i - 1].intensity[0] && !left[i].flags);
    assert_int_equal(arrlen(bsp->ldr.worldlights), 0);
    bsp_free(bsp);
}

/* A far reach counts, not only the number. */
static void attenuation_counts(void **state)
{
    (void)state;
    struct bsp *bsp = bsp_new();
    struct bsp_worldlight constant = light_of(0.01f);
    constant.quadratic = 0;
    constant.constant = 1;
    arrput(bsp->ldr.worldlights, constant);
    for (int i = 0; i < TAKES; i++)
        arrput(bsp->ldr.worldlights, light_of(10));
    fit(bsp, 1);
    assert_int_equal(arrlen(bsp->ldr.worldlights), TAKES);
    assert_true(bsp->ldr.worldlights[0].constant > 0);
    bsp_free(bsp);
}

SUITE(test_worldlights_fit)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_fit_stay),
        cmocka_unit_test(the_strongest_stay_in_their_order),
        cmocka_unit_test(attenuation_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
