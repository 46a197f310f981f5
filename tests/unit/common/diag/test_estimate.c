/* Estimates of the remaining time, with simulated clocks. */
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#include "common/diag/estimate.h"

/* Seconds after which a fraction is done, of 100 in all. */
typedef double pace(double part);

static double even(double part)
{
    return 100 * part;
}

static double slower_and_slower(double part)
{
    return 20 * part + 80 * part * part;
}

static double faster_and_faster(double part)
{
    return 200 * part - 100 * part * part;
}

static double like_pairs_of_clusters(double part)
{
    return 100 * pow(part, 1.7);
}

/* The estimate at a fraction, updated after each hundredth. */
static void left_at(pace *seconds, double part, double *min, double *max)
{
    struct estimate estimate = {0};
    for (double at = 0.01; at < part + 0.005; at += 0.01)
        estimate_add(&estimate, at, seconds(at));
    estimate_left(&estimate, min, max);
}

static void truth_lies_between(void **state)
{
    (void)state;
    pace *const paces[] = {even, slower_and_slower, faster_and_faster};
    for (int i = 0; i < 3; i++)
        for (double part = 0.1; part < 1; part += 0.1) {
            double min, max, truth = 100 - paces[i](part);
            left_at(paces[i], part, &min, &max);
            assert_true(min <= truth + 0.01 && truth - 0.01 <= max);
        }
}

static void an_even_pace_is_certain(void **state)
{
    (void)state;
    double min, max;
    left_at(even, 0.3, &min, &max);
    assert_true(fabs(min - 70) < 0.01 && fabs(max - 70) < 0.01);
}

/* The mean pace alone gives a third of the true time. */
static void what_comes_last_and_is_hard_is_expected(void **state)
{
    (void)state;
    double min, max, truth = 100 - like_pairs_of_clusters(0.3);
    left_at(like_pairs_of_clusters, 0.3, &min, &max);
    assert_true(min < 0.4 * truth);
    assert_true(max > truth && max < 1.4 * truth);
}

static void nothing_is_said_before_anything_is_done(void **state)
{
    (void)state;
    struct estimate estimate = {0};
    double min, max;
    estimate_left(&estimate, &min, &max);
    assert_true(min == 0 && max == 0);
    estimate_add(&estimate, 0, 3);
    estimate_left(&estimate, &min, &max);
    assert_true(min == 0 && max == 0);
}

static void words(double min, double max, const char *expected)
{
    char text[64];
    estimate_text(min, max, text, sizeof text);
    assert_string_equal(text, expected);
}

static void seconds_minutes_and_hours(void **state)
{
    (void)state;
    words(4, 4, "about 4 s left");
    words(0, 0, "about 1 s left");
    words(42, 44, "about 45 s left");
    words(21, 53, "20 to 55 s left");
    words(90, 240, "2 to 4 min left");
    words(3600, 3700, "about 60 min left");
    words(7000, 12000, "2 to 3 h left");
    words(1, 3e7, "1 to 8330 h left");
}

SUITE(test_estimate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_lies_between),
        cmocka_unit_test(an_even_pace_is_certain),
        cmocka_unit_test(what_comes_last_and_is_hard_is_expected),
        cmocka_unit_test(nothing_is_said_before_anything_is_done),
        cmocka_unit_test(seconds_minutes_and_hours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
