#include "tests/support/suite.h"

#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/random.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_radius.h"

#define MIN 0.02

enum { LIGHT_COUNT = 150 };

static struct light *many_lights(void)
{
    struct light *lights = NULL;
    for (uint32_t i = 0; i < LIGHT_COUNT; i++) {
        double bright = 10 + 40000 * random_unit(i, 0);
        struct light light = {.type = i % 2 ? WORLDLIGHT_POINT : WORLDLIGHT_SURFACE,
                              .intensity = vec3(bright, bright, bright),
                              .constant = i % 3,
                              .linear = random_unit(i, 1),
                              .quadratic = 0.001 + random_unit(i, 2)};
        if (i % 10 == 3)
            light.ramp = 0.001;
        for (uint32_t k = 0; k < 3; k++)
            light.origin.e[k] = 8000 * random_unit(i, 3 + k) - 4000;
        arrput(lights, light);
    }
    return lights;
}

/* Beyond its radius a light is below the minimum, and just within above it. */
static void lights_end_where_they_give_the_min(void **state)
{
    struct light *lights = many_lights();
    struct light_radii reach;
    (void)state;
    light_radii_make(lights, MIN, &reach);
    assert_int_equal(reach.count, LIGHT_COUNT);
    for (int i = 0; i < LIGHT_COUNT; i++) {
        double distance = (double)reach.distance[i], bright = lights[i].intensity.x;
        assert_true(isfinite(distance));
        assert_true(bright * light_falloff(&lights[i], distance) <= MIN);
        assert_true(bright * light_falloff(&lights[i], distance * 0.999 - 0.1) > MIN);
    }
    light_radii_free(&reach);
    arrfree(lights);
}

static void some_have_no_end(void **state)
{
    struct light *lights = NULL;
    struct light_radii reach;
    (void)state;
    arrput(lights,
           ((struct light){.type = WORLDLIGHT_POINT, .intensity = vec3(9, 9, 9), .constant = 1}));
    arrput(lights, ((struct light){.type = WORLDLIGHT_SKY, .intensity = vec3(9, 9, 9)}));
    arrput(lights, ((struct light){.type = WORLDLIGHT_POINT,
                                   .intensity = vec3(9, 9, 9),
                                   .quadratic = 1,
                                   .linear = -1})); /* it may grow again */
    light_radii_make(lights, MIN, &reach);
    const struct bounds far_away = {vec3(90000, 0, 0), vec3(90001, 1, 1)};
    int found[3];
    assert_int_equal(light_radii_find(&reach, &far_away, found), 3);
    for (int i = 0; i < 3; i++)
        assert_true(isinf(reach.distance[i]));
    light_radii_free(&reach);
    arrfree(lights);
}

static void those_near_a_box_are_found(void **state)
{
    struct light *lights = many_lights();
    struct light_radii reach;
    int found[LIGHT_COUNT], seen = 0;
    const struct bounds box = {vec3(-100, 200, -50), vec3(300, 400, 20)};
    (void)state;
    light_radii_make(lights, MIN, &reach);
    int count = light_radii_find(&reach, &box, found);
    for (int i = 0; i < LIGHT_COUNT; i++) {
        struct vec3 gap;
        for (int k = 0; k < 3; k++)
            gap.e[k] = fmax(
                fmax(box.mins.e[k] - lights[i].origin.e[k], lights[i].origin.e[k] - box.maxs.e[k]),
                0);
        if (vec3_length(gap) > (double)reach.distance[i])
            continue;
        assert_true(seen < count);
        assert_int_equal(found[seen++], i);
    }
    assert_int_equal(seen, count);
    assert_true(count > 3 && count < LIGHT_COUNT - 3);
    light_radii_free(&reach);
    arrfree(lights);
}

SUITE(test_light_radius)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lights_end_where_they_give_the_min),
        cmocka_unit_test(some_have_no_end),
        cmocka_unit_test(those_near_a_box_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
