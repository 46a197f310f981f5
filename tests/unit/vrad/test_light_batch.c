#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/core/random.h"
#include "tests/support/near.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_radius.h"

enum { POINTS = 203 };

static struct light base_light(void)
{
    struct vec3 normal = vec3_normalize(vec3(0.3, -0.5, -0.8));
    return (struct light){.type = WORLDLIGHT_POINT,
                          .origin = vec3(100, -50, 30),
                          .normal = normal,
                          .intensity = vec3(1, 1, 1),
                          .quadratic = 1,
                          .exponent = 1,
                          .stopdot = 0.9,
                          .stopdot2 = 0.4};
}

/* Compares each point with light_at; those at a cone's border or a fade's end may be off by
 * rounding. */
static void expect_alike(const struct light *light)
{
    float point[3][POINTS], direction[3][POINTS], distance[POINTS], share[POINTS];
    struct light_rows rows = {POINTS,
                              {point[0], point[1], point[2]},
                              {direction[0], direction[1], direction[2]},
                              distance,
                              share};
    int lit = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
        double reach = i < 20 ? 1.5 : i < 100 ? 60 : 900;
        for (uint32_t k = 0; k < 3; k++)
            point[k][i] = (float)(light->origin.e[k] + (random_unit(i, k) * 2 - 1) * reach);
    }
    light_at_batch(light, &rows);
    for (int i = 0; i < POINTS; i++) {
        struct vec3 at = vec3((double)point[0][i], (double)point[1][i], (double)point[2][i]), way;
        double away, want = light_at(light, at, &way, &away);
        assert_near(share[i], want, 2e-4 * want + 1e-9);
        assert_near(distance[i], away, 1e-4 * away + 1e-5);
        for (int k = 0; k < 3 && want > 0; k++)
            assert_near(direction[k][i], way.e[k], 1e-4);
        lit += want > 0;
    }
    assert_true(lit > POINTS / 12);
}

static void falloffs(void **state)
{
    static const double cases[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.02, 1e-4}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct light light = base_light();
        light.constant = cases[i][0];
        light.linear = cases[i][1];
        light.quadratic = cases[i][2];
        expect_alike(&light);
    }
}

static void percent_distances(void **state)
{
    (void)state;
    struct light light = base_light();
    light_fifty_percent(100, 400, &light.constant, &light.linear, &light.quadratic);
    expect_alike(&light);
    light.fade_start = 300;
    light.fade_end = 400;
    expect_alike(&light);
    light.cap_distance = 200;
    light.fade_start = 200;
    light.fade_end = 2000;
    expect_alike(&light);
}

static void spots(void **state)
{
    static const double exponents[] = {0, 1, 2, 5.5};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct light light = base_light();
        light.type = WORLDLIGHT_SPOT;
        light.exponent = exponents[i];
        expect_alike(&light);
    }
    struct light hard = base_light();
    hard.type = WORLDLIGHT_SPOT;
    hard.stopdot = hard.stopdot2 = 0.5;
    expect_alike(&hard);
}

static void surfaces(void **state)
{
    (void)state;
    struct light light = base_light();
    light.type = WORLDLIGHT_SURFACE;
    light.quadratic = 0;
    expect_alike(&light);
}

static void a_point_in_the_light_is_finite(void **state)
{
    float zero[3][1] = {{100}, {-50}, {30}}, direction[3][1], distance[1], share[1];
    struct light light = base_light();
    struct light_rows rows = {1,
                              {zero[0], zero[1], zero[2]},
                              {direction[0], direction[1], direction[2]},
                              distance,
                              share};
    (void)state;
    light_at_batch(&light, &rows);
    assert_near(distance[0], 0, 0);
    assert_near(share[0], 1, 1e-6);
    for (int k = 0; k < 3; k++)
        assert_near(direction[k][0], 0, 0);
}

/* --- light radius --- */

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

SUITE(test_light_batch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falloffs),
        cmocka_unit_test(percent_distances),
        cmocka_unit_test(spots),
        cmocka_unit_test(surfaces),
        cmocka_unit_test(a_point_in_the_light_is_finite),
        cmocka_unit_test(lights_end_where_they_give_the_min),
        cmocka_unit_test(some_have_no_end),
        cmocka_unit_test(those_near_a_box_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
