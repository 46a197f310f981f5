/* Denoising removes noise and keeps light. */
#include "tests/support/suite.h"

#include "common/core/random.h"
#include "tests/support/near.h"
#include "vrad/bounce/bounce_denoise.h"

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

SUITE(test_bounce_denoise)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uncertain_noise_is_removed),
        cmocka_unit_test(sure_light_stays),
        cmocka_unit_test(linear_and_parabolic_light_stays),
        cmocka_unit_test(bright_point_stays),
        cmocka_unit_test(only_gathered_luxels_move),
        cmocka_unit_test(luxels_without_cells_are_denoised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
