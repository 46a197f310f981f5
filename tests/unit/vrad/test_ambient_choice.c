#include "tests/support/suite.h"

#include <float.h>
#include <math.h>

#include "common/core/random.h"
#include "tests/support/near.h"
#include "vrad/ambient/ambient_choice.h"

enum { CHANNELS = 18 };

static void random_points(uint64_t seed, int count, struct choice_point *points)
{
    for (int i = 0; i < count; i++) {
        points[i] = (struct choice_point){{0}, {0}};
        for (uint64_t k = 0; k < 3; k++)
            points[i].place[k] = (float)random_unit(hash_pair(seed, (uint64_t)i), k) * 400;
        for (uint64_t k = 0; k < CHANNELS; k++)
            points[i].light[k] = (float)random_unit(hash_pair(seed, (uint64_t)i), 3 + k) * 100;
    }
}

static double worth(const struct choice_point *a, const struct choice_point *b)
{
    double away = 0, light = 0;
    for (int k = 0; k < 3; k++)
        away += pow((double)a->place[k] - (double)b->place[k], 2);
    for (int k = 0; k < CHANNELS; k++)
        light += pow((double)a->light[k] - (double)b->light[k], 2);
    return sqrt(away) * (0.25 + sqrt(light) / 255);
}

/* A plain implementation of the rule. */
static int pick_plainly(const struct choice_point *points, int count, int max, int *picked)
{
    int have = 0;
    for (int i = 0; i < count; i++) {
        picked[have++] = i;
        if (have <= max)
            continue;
        int first = 0;
        double min = DBL_MAX;
        for (int a = 0; a < have; a++)
            for (int b = a + 1; b < have; b++) {
                double value = worth(&points[picked[a]], &points[picked[b]]);
                if (value < min) {
                    min = value;
                    first = a;
                }
            }
        picked[first] = picked[--have];
    }
    return have;
}

static void picks_by_the_rule(void **state)
{
    struct choice_point points[CHOICE_CANDIDATES];
    int picked[CHOICE_PICKS + 1], plain[CHOICE_PICKS + 1];
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        int count = 1 + (int)(hash_u64(seed) % CHOICE_CANDIDATES);
        int max = seed % 4 ? CHOICE_PICKS : 1 + (int)(seed % CHOICE_PICKS);
        random_points(seed, count, points);
        int have = choice_pick(points, count, max, picked);
        assert_int_equal(have, pick_plainly(points, count, max, plain));
        for (int i = 0; i < have; i++)
            assert_int_equal(picked[i], plain[i]);
    }
}

/* Equal points, as in a leaf that is a line: as many stay as there is room for. */
static void equal_points_fill_the_room(void **state)
{
    struct choice_point points[CHOICE_CANDIDATES] = {{{0}, {0}}};
    int picked[CHOICE_PICKS];
    (void)state;
    assert_int_equal(choice_pick(points, 40, CHOICE_PICKS, picked), CHOICE_PICKS);
    for (int i = 0; i < CHOICE_PICKS; i++)
        for (int j = 0; j < i; j++)
            assert_int_not_equal(picked[i], picked[j]);
    assert_int_equal(choice_pick(points, 0, CHOICE_PICKS, picked), 0);
}

static void predicts_by_the_square_of_the_distance(void **state)
{
    struct choice_point points[4];
    (void)state;
    random_points(7, 4, points);
    choice_predict(points, 2, 4);
    for (int i = 2; i < 4; i++) {
        double weight[2] = {1, 1};
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 3; k++)
                weight[j] += pow((double)points[i].place[k] - (double)points[j].place[k], 2);
            weight[j] = 1 / weight[j];
        }
        for (int k = 0; k < CHANNELS; k++) {
            double mean =
                (weight[0] * (double)points[0].light[k] + weight[1] * (double)points[1].light[k]) /
                (weight[0] + weight[1]);
            assert_near((double)points[i].light[k], mean, 1e-3);
        }
        assert_true(points[i].light[CHANNELS] == 0);
    }
}

SUITE(test_ambient_choice)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picks_by_the_rule),
        cmocka_unit_test(equal_points_fill_the_room),
        cmocka_unit_test(predicts_by_the_square_of_the_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
