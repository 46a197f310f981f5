/* Texels that triangles are drawn with, compared with filtering at many points. */
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#include "common/core/random.h"
#include "common/geom/texel_coverage.h"

enum { WIDTH = 70, HEIGHT = 20, STEPS = 160 };

/* Finds the texels with a weight at points all over the triangle. */
static void reach_by_points(const double corners[3][2], unsigned char *found)
{
    for (int i = 0; i <= STEPS; i++)
        for (int k = 0; k <= STEPS - i; k++) {
            double u = (double)i / (double)STEPS, v = (double)k / (double)STEPS, at[2];
            for (int j = 0; j < 2; j++)
                at[j] = corners[0][j] + u * (corners[1][j] - corners[0][j]) +
                        v * (corners[2][j] - corners[0][j]);
            for (int n = 0; n < 4; n++) {
                int s = (int)floor(at[0]) + n % 2, t = (int)floor(at[1]) + n / 2;
                double weight = (1 - fabs(at[0] - s)) * (1 - fabs(at[1] - t));
                if (weight > 2e-3 && s >= 0 && t >= 0 && s < WIDTH && t < HEIGHT)
                    found[t * WIDTH + s] = 1;
            }
        }
}

static void test_random_triangles(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 300; n++) {
        double corners[3][2];
        uint64_t bits[HEIGHT * 2] = {0};
        unsigned char found[HEIGHT * WIDTH] = {0};
        int reached = 0, counted = 0;
        for (int i = 0; i < 6; i++) {
            /* Many at whole texels, like the corners of maps. */
            double side = i % 2 ? HEIGHT - 1 : WIDTH - 1;
            double at = (double)(hash_pair(n, (uint64_t)i) % 1000) / 999 * side;
            corners[i / 2][i % 2] = n % 3 == 0 ? floor(at) : at;
        }
        texel_coverage(corners, WIDTH, HEIGHT, bits);
        reach_by_points(corners, found);
        for (int t = 0; t < HEIGHT; t++)
            for (int s = 0; s < WIDTH; s++) {
                bool set = texel_is_set(bits, WIDTH, s, t);
                assert_false(found[t * WIDTH + s] && !set);
                reached += set;
                counted += found[t * WIDTH + s];
            }
        /* Points miss slivers of squares only. */
        assert_true(reached <= counted + counted / 4 + 16);
    }
}

static void test_exact(void **state)
{
    (void)state;
    static const double square[2][3][2] = {{{2, 3}, {5, 3}, {5, 6}}, {{2, 3}, {5, 6}, {2, 6}}};
    uint64_t bits[HEIGHT * 2] = {0};
    for (int i = 0; i < 2; i++)
        texel_coverage(square[i], WIDTH, HEIGHT, bits);
    for (int t = 0; t < HEIGHT; t++)
        for (int s = 0; s < WIDTH; s++)
            assert_int_equal(texel_is_set(bits, WIDTH, s, t), s >= 2 && s <= 5 && t >= 3 && t <= 6);
}

/* Outside of the rectangle, without area, and not finite. */
static void test_outside(void **state)
{
    (void)state;
    static const double odd[][3][2] = {{{-1e30, 5}, {1e30, 6}, {3, 1e300}},
                                       {{-9, -9}, {-8, -9}, {-9, -8}},
                                       {{64, 4}, {64, 4}, {64, 4}},
                                       {{69, 19}, {69, 19}, {1000, 19}}};
    uint64_t bits[2 + HEIGHT * 2 + 2];
    for (int i = 0; i < 4; i++) {
        memset(bits, 0, sizeof bits);
        texel_coverage(odd[i], WIDTH, HEIGHT, bits + 2);
        assert_true(bits[0] == 0 && bits[1] == 0);
        assert_true(bits[2 + HEIGHT * 2] == 0 && bits[3 + HEIGHT * 2] == 0);
    }
    memset(bits, 0, sizeof bits);
    texel_coverage(odd[2], WIDTH, HEIGHT, bits);
    assert_true(texel_is_set(bits, WIDTH, 64, 4));
}

SUITE(test_texel_coverage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_triangles),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
