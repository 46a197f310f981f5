/* Bytes of light: a table gives those of the power, at every place where they change. */
#include "tests/support/suite.h"

#include "common/core/portable_math.h"
#include "scene/light/gamma.h"

static unsigned power(double light)
{
    return (unsigned)floor(
        255 * portable_pow(portable_fmin(portable_fmax(light, 0), 1), 1 / GAMMA) + 0.5);
}

/* A neighbour of a positive double, this many numbers away. */
static double beside(double value, int64_t steps)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits += steps;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

static void assert_same(const struct gamma_table *table, double light)
{
    assert_int_equal(gamma_table_byte(table, light), power(light));
    assert_int_equal(gamma_byte(light), power(light));
}

/* The power rounds: some bytes change a few numbers beside the threshold. */
static void bytes_change_where_those_of_the_power_do(void **state)
{
    (void)state;
    struct gamma_table table;
    gamma_table_fill(&table);
    for (int i = 1; i < 256; i++)
        for (int64_t step = -300; step <= 300; step++) {
            assert_same(&table, beside(table.thresholds[i], step));
            assert_same(&table, beside(table.thresholds[i], step * (1 << 20)));
        }
    for (int i = 0; i <= GAMMA_STEPS; i++)
        for (int64_t step = -3; step <= 3 && i > 0; step++)
            assert_same(&table, beside((double)i / (double)GAMMA_STEPS, step));
}

static void bytes_of_any_light_are_those_of_the_power(void **state)
{
    (void)state;
    static const double odd[] = {0, -0.0, -1, 1, 2, 1e-300, HUGE_VAL, -HUGE_VAL, (double)NAN};
    struct gamma_table table;
    gamma_table_fill(&table);
    for (int i = 0; i < 200000; i++)
        assert_same(&table, i / 199999.0);
    for (int i = 0; i < 65536; i++) /* light of luxels, bytes scaled */
        assert_same(&table, (double)((float)(i % 256) * (float)(i / 256)) / 255 / 255);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        assert_same(&table, odd[i]);
}

SUITE(test_render_gamma)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_change_where_those_of_the_power_do),
        cmocka_unit_test(bytes_of_any_light_are_those_of_the_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
