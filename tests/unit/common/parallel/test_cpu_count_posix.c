/* for sched_setaffinity */
#define _GNU_SOURCE
#include "tests/support/suite.h"

#include <sched.h>

#include "common/parallel/cpu_count.h"

static void a_set_of_one_is_one(void **state)
{
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_in_range(cpu_count(), 1, CPU_COUNT(&all));
    size_t first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(cpu_count(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void shares_of_time_are_rounded_up(void **state)
{
    (void)state;
    assert_int_equal(cpu_count_of_quota("max 100000\n"), 0);
    assert_int_equal(cpu_count_of_quota("200000 100000\n"), 2);
    assert_int_equal(cpu_count_of_quota("250000 100000\n"), 3);
    assert_int_equal(cpu_count_of_quota("5000 100000\n"), 1);
    assert_int_equal(cpu_count_of_quota(""), 0);
    assert_int_equal(cpu_count_of_quota("-1 100000"), 0);
    assert_int_equal(cpu_count_of_quota("100000 0"), 0);
    assert_int_equal(cpu_count_of_quota("1e300 1"), 0);
    assert_int_equal(cpu_count_of_quota("nan 1"), 0);
}

SUITE(test_cpu_count_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_of_one_is_one),
        cmocka_unit_test(shares_of_time_are_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
