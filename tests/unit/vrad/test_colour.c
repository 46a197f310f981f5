#include "tests/support/suite.h"

#include <float.h>
#include <math.h>

#include "common/core/random.h"
#include "vrad/luxels/colour.h"

static struct bsp_colour encode(float r, float g, float b)
{
    const float rgb[3] = {r, g, b};
    return colour_encode(rgb);
}

static void expect(float r, float g, float b, int x, int y, int z, int exponent)
{
    struct bsp_colour c = encode(r, g, b);
    assert_int_equal(c.r, x);
    assert_int_equal(c.g, y);
    assert_int_equal(c.b, z);
    assert_int_equal(c.exponent, exponent);
}

static void known_colours(void **state)
{
    (void)state;
    expect(0, 0, 0, 0, 0, 0, 0);
    expect(255, 128, 1, 255, 128, 1, 0);
    expect(128, 0, 0, 128, 0, 0, 0);
    expect(127.5f, 10, 0, 255, 20, 0, -1);
    expect(1, 0.5f, 0.25f, 128, 64, 32, -7);
    expect(1024, 512, 3, 128, 64, 0, 3);
}

static void rounds_to_nearest(void **state)
{
    (void)state;
    expect(200.4f, 100.5f, 99.49f, 200, 101, 99, 0);
    /* Values that would round to 256 take the next exponent. */
    expect(255.4f, 0, 0, 255, 0, 0, 0);
    expect(255.6f, 255.4f, 3.2f, 128, 128, 2, 1);
}

static void odd_numbers(void **state)
{
    (void)state;
    expect(-5, NAN, 128, 0, 0, 128, 0);
    expect(NAN, NAN, NAN, 0, 0, 0, 0);
    expect(INFINITY, 1, 0, 255, 0, 0, 127);
    expect(FLT_MIN, 0, 0, 4, 0, 0, -128); /* 2^-126: below the range of full bytes */
}

/* No channel is off by more than half a step, 1/256 of the largest. Truncation would be off by a
 * whole one, with a bias of 0.0026. */
static void round_trip(void **state)
{
    (void)state;
    double bias = 0;
    enum { COUNT = 20000 };
    for (uint32_t i = 0; i < COUNT; i++) {
        float rgb[3], back[3], max = 0;
        for (uint32_t k = 0; k < 3; k++) {
            rgb[k] = (float)exp(random_unit(i, k) * 20 - 8);
            max = fmaxf(max, rgb[k]);
        }
        colour_decode(colour_encode(rgb), back);
        for (int k = 0; k < 3; k++) {
            assert_true(fabsf(back[k] - rgb[k]) <= max / 256 * 1.0001f);
            bias += (double)((back[k] - rgb[k]) / max) / (3 * COUNT);
        }
    }
    assert_true(fabs(bias) < 3e-4);
}

SUITE(test_colour)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_colours),
        cmocka_unit_test(rounds_to_nearest),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
