#include "tests/support/suite.h"

#include "common/core/random.h"
#include "tests/support/near.h"
#include "vrad/lights/light.h"
#include "vrad/lights/patch_shape.h"
#include "vrad/lights/polygon.h"

static const double width = 40, depth = 24, height = 30;

/* A trapezium in the plane z = 0 that faces down, its sides from 24 to 40 long. */
static struct light trapezium(struct arena *arena)
{
    const struct vec3 corners[] = {vec3(0, 0, 0), vec3(width, 0, 0), vec3(depth, height, 0),
                                   vec3(0, height, 0)};
    double area = (width + depth) / 2 * height;
    /* Of the rectangle and the triangle beside it. */
    double x = (depth * height * depth / 2 +
                (width - depth) * height / 2 * (depth + (width - depth) / 3)) /
               area;
    double y = (depth * height * height / 2 + (width - depth) * height / 2 * height / 3) / area;
    struct light light = {.type = WORLDLIGHT_SURFACE, .normal = vec3(0, 0, -1)};
    light.origin = vec3(x, y, 0);
    light.shape = patch_shape_new(arena, corners, 4, light.origin, light.normal, area);
    assert_non_null(light.shape);
    return light;
}

/* The vector irradiance at a point by a sum over small pieces. */
static struct vec3 summed(struct vec3 point, double area)
{
    enum { STEPS = 300 };
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < STEPS * STEPS; i++) {
        double y = (i / STEPS + 0.5) / STEPS * height, right = width - (width - depth) * y / height;
        double x = (i % STEPS + 0.5) / STEPS * right;
        struct vec3 way = vec3_sub(vec3(x, y, 0), point);
        double d = vec3_length(way), piece = height / STEPS * right / STEPS;
        sum = vec3_mad(sum, way, way.z * piece / (d * d * d * d) / area);
    }
    return sum;
}

static void light_is_that_of_the_outline(void **state)
{
    static const double distances[] = {1, 4, 20, 60, 90, 150, 250, 400};
    struct arena arena = {NULL};
    struct light light = trapezium(&arena);
    (void)state;
    for (uint32_t i = 0; i < 40; i++) {
        struct vec3 way = vec3_normalize(
            vec3(random_unit(i, 0) - 0.5, random_unit(i, 1) - 0.5, -0.15 - random_unit(i, 2)));
        struct vec3 point = vec3_mad(light.origin, way, distances[i % 8]), direction;
        double distance, share = light_at(&light, point, &direction, &distance);
        struct vec3 want = summed(point, light.shape->area);
        struct vec3 off = vec3_sub(vec3_scale(direction, share), want);
        assert_true(vec3_length(off) < 0.01 * vec3_length(want));
    }
    arena_free(&arena);
}

static void batches_agree(void **state)
{
    enum { POINTS = 200 };
    float point[3][POINTS], direction[3][POINTS], distance[POINTS], share[POINTS];
    struct light_rows rows = {POINTS,
                              {point[0], point[1], point[2]},
                              {direction[0], direction[1], direction[2]},
                              distance,
                              share};
    struct arena arena = {NULL};
    struct light light = trapezium(&arena);
    (void)state;
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t k = 0; k < 3; k++)
            point[k][i] =
                (float)(light.origin.e[k] + (random_unit(i, k) * 2 - 1) * (i < 80 ? 50 : 600));
    light_at_batch(&light, &rows);
    for (int i = 0; i < POINTS; i++) {
        struct vec3 at = vec3((double)point[0][i], (double)point[1][i], (double)point[2][i]), way;
        double away, want = light_at(&light, at, &way, &away);
        assert_near((double)share[i], want, 1e-3 * want + 1e-12);
        for (int k = 0; k < 3 && want > 0; k++)
            assert_near((double)direction[k][i], way.e[k], 1e-3);
        if (want > 0)
            assert_near((double)distance[i], away, 1e-3 * away + 1e-3);
    }
    arena_free(&arena);
}

/* Directions are even by solid angle: the mean of their cosines is that of the irradiance. */
static void directions_are_even(void **state)
{
    enum { ACROSS = 2048, ALONG = 32 };
    const struct vec3 corners[] = {vec3_normalize(vec3(-2, -1, 1)), vec3_normalize(vec3(3, -1, 1)),
                                   vec3_normalize(vec3(2, 4, 1)), vec3_normalize(vec3(-1, 3, 1))};
    struct vec3 sum = vec3(0, 0, 0), direction = vec3(0, 0, 0);
    double solid = 0;
    (void)state;
    for (int i = 0; i < ACROSS * ALONG; i++) {
        const double at[2] = {(i % ACROSS + 0.5) / ACROSS, (i / ACROSS + 0.5) / ALONG};
        solid = polygon_direction(corners, 4, at, &direction);
        assert_near(vec3_length(direction), 1, 1e-9);
        sum = vec3_mad(sum, direction, solid / (ACROSS * ALONG));
    }
    struct vec3 want = polygon_irradiance(corners, 4);
    for (int k = 0; k < 3; k++)
        assert_near(sum.e[k], want.e[k], 2e-3);
    assert_true(solid > 2 && solid < 6.2832);
}

static void polygons_are_cut_at_the_horizon(void **state)
{
    const struct vec3 square[] = {vec3(1, -1, -1), vec3(1, 1, -1), vec3(1, 1, 1), vec3(1, -1, 1)};
    struct vec3 part[5];
    (void)state;
    assert_int_equal(polygon_above(square, 4, vec3(0, 0, 1), part), 4);
    for (int i = 0; i < 4; i++)
        assert_true(part[i].z >= 0);
    assert_int_equal(polygon_above(square, 4, vec3(1, 0, 0), part), 4);
    assert_int_equal(polygon_above(square, 4, vec3(-1, 0, 0), part), 0);
    assert_int_equal(polygon_above(square, 4, vec3_normalize(vec3(1.5, 1, 1)), part), 5);
}

SUITE(test_patch_shape)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_is_that_of_the_outline),
        cmocka_unit_test(batches_agree),
        cmocka_unit_test(directions_are_even),
        cmocka_unit_test(polygons_are_cut_at_the_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
