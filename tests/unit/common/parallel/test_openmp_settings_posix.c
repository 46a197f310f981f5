#include "tests/support/suite.h"

#include <omp.h>

#include "common/parallel/parallel.h"

/* LLVM's functions, missing in gcc's omp.h. */
void kmp_set_blocktime(int milliseconds);
int kmp_get_blocktime(void);

enum { ITEMS = 100 };

static void add_item(void *context, size_t index, int thread)
{
    int *sums = context;
    sums[thread] += (int)index;
}

static void make_loops(void *context)
{
    for (int threads = 2; threads <= 4; threads++)
        parallel_for(threads, ITEMS, add_item, context);
}

/* The caller may use OpenMP too. */
static void settings_of_the_caller_stay(void **state)
{
    (void)state;
    int levels = omp_get_max_active_levels(), blocktime = kmp_get_blocktime();
    for (int i = 0; i < 3; i++) {
        int sums[4] = {0};
        omp_set_max_active_levels(i);
        kmp_set_blocktime(37 + i);
        make_loops(sums);
        parallel_stage(4, make_loops, sums);
        assert_int_equal(sums[0] + sums[1] + sums[2] + sums[3], 6 * (ITEMS * (ITEMS - 1) / 2));
        assert_int_equal(omp_get_max_active_levels(), i);
        assert_int_equal(kmp_get_blocktime(), 37 + i);
    }
    omp_set_max_active_levels(levels);
    kmp_set_blocktime(blocktime);
}

SUITE(test_openmp_settings_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_of_the_caller_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
