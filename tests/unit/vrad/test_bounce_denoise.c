/* Denoising removes noise and keeps light. */
#include "tests/support/suite.h"

#include "common/core/random.h"
#include "tests/support/near.h"
#include "vrad/bounce/bounce_denoise.h"
#include "vrad/bounce/window_fit.h"

enum { SIDE = 17, COUNT = SIDE * SIDE, STEP = 4, CELLS = 16 };

struct sheet {
    struct face_light face;
    float light[3 * COUNT], variance[COUNT];
    unsigned char known[COUNT];
    struct irradiance_cell cells[CELLS];
};

static bool is_gathered(int s, int t)
{
    return (s % STEP == 0 && t % STEP == 0) || (s % STEP == 2 && t % STEP == 2);
}

/* 4 x 4 cells; `value` of luxel coordinates, and the same variance everywhere. */
static void sheet_make(struct sheet *sheet, double (*value)(double, double), double noise)
{
    sheet->face = (struct face_light){
        .width = SIDE, .height = SIDE, .count = COUNT, .slots = 1, .indirect = sheet->light};
    for (int i = 0; i < COUNT; i++) {
        double random = 2 * random_unit((uint64_t)i, 7) - 1; /* of variance 1/3 */
        for (int k = 0; k < 3; k++)
            sheet->light[3 * i + k] = (float)(value(i % SIDE, i / SIDE) + noise * random);
        sheet->variance[i] = (float)(noise * noise / 3);
        sheet->known[i] = is_gathered(i % SIDE, i / SIDE) ? LUXEL_GATHERED : 0;
    }
    for (int i = 0; i < CELLS; i++) {
        int s = i % 4 * STEP, t = i / 4 * STEP;
        sheet->cells[i] = (struct irradiance_cell){s, t, s + STEP, t + STEP};
    }
}

static double miss(const struct sheet *sheet, double (*value)(double, double))
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < COUNT; i++) {
        if (!is_gathered(i % SIDE, i / SIDE))
            continue;
        double off = (double)sheet->light[3 * i] - value(i % SIDE, i / SIDE);
        sum += off * off;
        count++;
    }
    return sqrt(sum / count);
}

static double even(double s, double t)
{
    (void)s;
    (void)t;
    return 50;
}

static double straight(double s, double t)
{
    return 40 + 2 * s - t;
}

static double bent(double s, double t)
{
    return 90 - 0.2 * (s - 8) * (s - 8) - 0.3 * (t - 8) * (t - 8);
}

static void uncertain_noise_is_removed(void **state)
{
    struct sheet sheet;
    (void)state;
    sheet_make(&sheet, even, 3);
    double before = miss(&sheet, even);
    bounce_denoise(&sheet.face, sheet.cells, CELLS, sheet.known, sheet.variance);
    assert_true(miss(&sheet, even) < 0.7 * before);
}

/* Light without variance stays, however rough. */
static void sure_light_stays(void **state)
{
    struct sheet sheet;
    (void)state;
    sheet_make(&sheet, even, 3);
    float before[3 * COUNT];
    for (int i = 0; i < 3 * COUNT; i++)
        before[i] = sheet.light[i];
    for (int i = 0; i < COUNT; i++)
        sheet.variance[i] = 0;
    bounce_denoise(&sheet.face, sheet.cells, CELLS, sheet.known, sheet.variance);
    for (int i = 0; i < 3 * COUNT; i++)
        assert_near(sheet.light[i], before[i], 1e-4);
}

static void linear_and_parabolic_light_stays(void **state)
{
    double (*const values[])(double, double) = {even, straight, bent};
    struct sheet sheet;
    (void)state;
    for (int i = 0; i < 3; i++) {
        sheet_make(&sheet, values[i], 0);
        for (int k = 0; k < COUNT; k++)
            sheet.variance[k] = 100;
        bounce_denoise(&sheet.face, sheet.cells, CELLS, sheet.known, sheet.variance);
        assert_near(miss(&sheet, values[i]), 0, 1e-3);
    }
}

/* A point that deviates by far more than its variance is light, not noise. */
static void bright_point_stays(void **state)
{
    struct sheet sheet;
    const int middle = 10 * SIDE + 10;
    (void)state;
    sheet_make(&sheet, even, 0);
    for (int k = 0; k < 3; k++)
        sheet.light[3 * middle + k] = 90;
    for (int k = 0; k < COUNT; k++)
        sheet.variance[k] = 1;
    bounce_denoise(&sheet.face, sheet.cells, CELLS, sheet.known, sheet.variance);
    assert_near(sheet.light[3 * middle], 90, 1);
}

/* Luxels between the gathered ones do not change. */
static void only_gathered_luxels_move(void **state)
{
    struct sheet sheet;
    (void)state;
    sheet_make(&sheet, straight, 5);
    float before[3 * COUNT];
    for (int i = 0; i < 3 * COUNT; i++)
        before[i] = sheet.light[i];
    bounce_denoise(&sheet.face, sheet.cells, CELLS, sheet.known, sheet.variance);
    for (int i = 0; i < COUNT; i++)
        if (!is_gathered(i % SIDE, i / SIDE))
            assert_true(sheet.light[3 * i] == before[3 * i]);
}

/* Luxels that have gathered one by one lie in no cell. */
static void luxels_without_cells_are_denoised(void **state)
{
    struct sheet sheet;
    double before = 0, after = 0;
    (void)state;
    sheet_make(&sheet, straight, 3);
    for (int i = 0; i < COUNT; i++) {
        sheet.known[i] = LUXEL_GATHERED;
        before += fabs((double)sheet.light[3 * i] - straight(i % SIDE, i / SIDE)) / COUNT;
    }
    bounce_denoise(&sheet.face, NULL, 0, sheet.known, sheet.variance);
    for (int i = 0; i < COUNT; i++)
        after += fabs((double)sheet.light[3 * i] - straight(i % SIDE, i / SIDE)) / COUNT;
    assert_true(after < 0.6 * before);
}

/* Fits to the luxels of a window keep what they are made of. */

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

SUITE(test_bounce_denoise)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uncertain_noise_is_removed),
        cmocka_unit_test(sure_light_stays),
        cmocka_unit_test(linear_and_parabolic_light_stays),
        cmocka_unit_test(bright_point_stays),
        cmocka_unit_test(only_gathered_luxels_move),
        cmocka_unit_test(luxels_without_cells_are_denoised),
        cmocka_unit_test(polynomials_keep_their_value),
        cmocka_unit_test(smoother_fits_have_less_noise),
        cmocka_unit_test(samples_on_a_line_have_no_fit),
        cmocka_unit_test(windows_end_at_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
