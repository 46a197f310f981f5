/* Fits to the luxels of a window keep what they are made of. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "vrad/bounce/window_fit.h"

/* The samples of a window from column `left` on: those on a border have one side only. */
static int samples_from(int left, float variance, struct window_sample out[WINDOW_LUXELS])
{
    int count = 0;
    for (int row = -WINDOW_REACH; row <= WINDOW_REACH; row++)
        for (int column = left; column <= WINDOW_REACH; column++)
            out[count++] = (struct window_sample){
                (int8_t)column, (int8_t)row,
                variance * (float)(1 + (row * row + column + WINDOW_REACH) % 3)};
    return count;
}

static double parabola(const struct window_sample *at)
{
    double x = at->column, y = at->row;
    return 7 + 2 * x - 3 * y + 0.5 * x * x - 0.25 * x * y + y * y;
}

static double plane(const struct window_sample *at)
{
    return 7 + 2.0 * at->column - 3.0 * at->row;
}

static double fitted(const struct window_sample *samples, int count, const float *weights,
                     double (*value)(const struct window_sample *))
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (double)weights[i] * value(&samples[i]);
    return sum;
}

static void polynomials_keep_their_value(void **state)
{
    (void)state;
    for (int left = -WINDOW_REACH; left <= 0; left++) {
        struct window_sample samples[WINDOW_LUXELS];
        float weights[WINDOW_LUXELS];
        int count = samples_from(left, 0.1f, samples);
        for (int stage = 0; stage < WINDOW_STAGES; stage++) {
            assert_true(window_fit_find(samples, count, (enum window_stage)stage, weights));
            assert_near(fitted(samples, count, weights, plane), 7, 1e-4);
            if (!window_is_linear((enum window_stage)stage))
                assert_near(fitted(samples, count, weights, parabola), 7, 1e-4);
        }
    }
}

/* Each stage leaves less noise than the one before; a sample of great variance weighs little. */
static void smoother_fits_have_less_noise(void **state)
{
    struct window_sample samples[WINDOW_LUXELS];
    float weights[WINDOW_LUXELS];
    double before = 1;
    int count = samples_from(-WINDOW_REACH, 1, samples);
    (void)state;
    for (int i = 0; i < count; i++)
        samples[i].variance = 1;
    const enum window_stage order[] = {WINDOW_QUADRATIC_NEAR, WINDOW_QUADRATIC, WINDOW_LINEAR_NEAR,
                                       WINDOW_LINEAR};
    for (int stage = 0; stage < WINDOW_STAGES; stage++) {
        double noise = 0;
        assert_true(window_fit_find(samples, count, order[stage], weights));
        for (int i = 0; i < count; i++)
            noise += (double)(weights[i] * weights[i]);
        assert_true(noise < 0.9 * before);
        before = noise;
    }
    samples[count / 2].variance = 1e6f;
    assert_true(window_fit_find(samples, count, WINDOW_LINEAR, weights));
    assert_near(weights[count / 2], 0, 1e-4);
}

static void samples_on_a_line_have_no_fit(void **state)
{
    struct window_sample samples[WINDOW_LUXELS];
    float weights[WINDOW_LUXELS];
    (void)state;
    for (int i = 0; i < WINDOW_SIDE; i++)
        samples[i] = (struct window_sample){0, (int8_t)(i - WINDOW_REACH), 1};
    for (int stage = 0; stage < WINDOW_STAGES; stage++)
        assert_false(window_fit_find(samples, WINDOW_SIDE, (enum window_stage)stage, weights));
}

/* A wall of closed luxels separates. */
static void windows_end_at_walls(void **state)
{
    uint64_t open = 0, left = 0;
    (void)state;
    for (int row = 0; row < WINDOW_SIDE; row++) {
        for (int column = 0; column < WINDOW_SIDE; column++) {
            if (column == 4)
                continue;
            open |= window_bit(column, row);
            left |= column < 4 ? window_bit(column, row) : 0;
        }
    }
    assert_true(window_connected(open) == left);
    assert_true(window_connected(open & ~window_bit(WINDOW_REACH, WINDOW_REACH)) == 0);
}

SUITE(test_window_fit)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_keep_their_value),
        cmocka_unit_test(smoother_fits_have_less_noise),
        cmocka_unit_test(samples_on_a_line_have_no_fit),
        cmocka_unit_test(windows_end_at_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
