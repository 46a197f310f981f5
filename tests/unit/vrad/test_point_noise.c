/* The noise of a point is that of the points around it, not its own. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "vrad/bounce/point_noise.h"

enum { SIDE = 9, COUNT = SIDE * SIDE, MIDDLE = COUNT / 2 };

struct sheet {
    struct face_light face;
    float light[3 * COUNT], variance[COUNT], noise[COUNT];
    unsigned char known[COUNT];
};

static void sheet_make(struct sheet *sheet, float light, float variance)
{
    sheet->face = (struct face_light){
        .width = SIDE, .height = SIDE, .count = COUNT, .slots = 1, .indirect = sheet->light};
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++)
            sheet->light[3 * i + k] = light;
        sheet->variance[i] = variance;
        sheet->known[i] = LUXEL_GATHERED;
    }
}

static void noise_is_relative_to_light(void **state)
{
    struct sheet sheet;
    (void)state;
    sheet_make(&sheet, 10, 4);
    point_noise(&sheet.face, sheet.known, sheet.variance, 0.5f, sheet.noise);
    for (int i = 0; i < COUNT; i++)
        assert_near(sheet.noise[i], 0.2, 1e-5);
    sheet_make(&sheet, 0.1f, 0.01f);
    point_noise(&sheet.face, sheet.known, sheet.variance, 0.5f, sheet.noise);
    assert_near(sheet.noise[MIDDLE], 0.2, 1e-5);
}

/* A point that met nothing bright by chance has no variance of its own. */
static void own_variance_does_not_count(void **state)
{
    struct sheet sheet;
    (void)state;
    sheet_make(&sheet, 10, 4);
    sheet.light[3 * MIDDLE] = sheet.light[3 * MIDDLE + 1] = sheet.light[3 * MIDDLE + 2] = 1;
    sheet.variance[MIDDLE] = 0;
    point_noise(&sheet.face, sheet.known, sheet.variance, 0.5f, sheet.noise);
    assert_near(sheet.noise[MIDDLE], 0.2, 1e-5);
    sheet.variance[MIDDLE] = 1e6f;
    point_noise(&sheet.face, sheet.known, sheet.variance, 0.5f, sheet.noise);
    assert_near(sheet.noise[MIDDLE], 0.2, 1e-5);
}

static void lone_points_are_unknown(void **state)
{
    struct sheet sheet;
    (void)state;
    sheet_make(&sheet, 10, 4);
    for (int i = 0; i < COUNT; i++)
        sheet.known[i] = i == 0 || i == MIDDLE ? LUXEL_GATHERED : 0;
    point_noise(&sheet.face, sheet.known, sheet.variance, 0.5f, sheet.noise);
    for (int i = 0; i < COUNT; i++)
        assert_true(sheet.noise[i] == 0);
}

SUITE(test_point_noise)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_relative_to_light),
        cmocka_unit_test(own_variance_does_not_count),
        cmocka_unit_test(lone_points_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
