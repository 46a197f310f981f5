#include "tests/support/suite.h"

#include <stdatomic.h>

#include "common/parallel/background.h"
#include "common/parallel/parallel.h"

enum { STEPS = 1000 };

struct count {
    atomic_int steps, inside, faults;
};

static bool count_up(void *context)
{
    struct count *count = context;
    if (atomic_fetch_add(&count->inside, 1) != 0)
        atomic_fetch_add(&count->faults, 1);
    int steps = atomic_fetch_add(&count->steps, 1) + 1;
    atomic_fetch_sub(&count->inside, 1);
    return steps < STEPS;
}

static void is_done(struct count *count)
{
    assert_int_equal(atomic_load(&count->steps), STEPS);
    assert_int_equal(atomic_load(&count->faults), 0);
}

static void all_steps_are_done_once(void **state)
{
    (void)state;
    for (int threads = 1; threads < 4; threads++) {
        struct count count = {0};
        struct background_task *task = background_begin(threads, count_up, &count);
        if (threads == 1)
            is_done(&count);
        background_finish(task);
        is_done(&count);
    }
    background_finish(NULL);
    assert_false(background_run_step());
}

static void help(void *context, size_t index, int thread)
{
    (void)context;
    (void)index;
    (void)thread;
    background_run_step();
}

static void many_may_help(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct count count = {0};
        struct background_task *task = background_begin(4, count_up, &count);
        parallel_for(4, STEPS / 2, help, NULL);
        assert_true(atomic_load(&count.steps) > 0);
        background_finish(task);
        is_done(&count);
    }
}

static void wait_for_all(void *context, size_t index, int thread)
{
    struct count *count = context;
    (void)thread;
    while (index == 0 && atomic_load(&count->steps) < STEPS)
        ;
}

/* One of two threads has nothing else to do. */
static void who_waits_does_it(void **state)
{
    (void)state;
    struct count count = {0};
    struct background_task *task = background_begin(2, count_up, &count);
    parallel_for(2, 2, wait_for_all, &count);
    is_done(&count);
    background_finish(task);
    is_done(&count);
}

static void only_one_waits_at_a_time(void **state)
{
    (void)state;
    struct count first = {0}, second = {0};
    struct background_task *one = background_begin(2, count_up, &first);
    struct background_task *two = background_begin(2, count_up, &second);
    is_done(&second);
    background_finish(two);
    background_finish(one);
    is_done(&first);
}

static void what_is_dropped_is_not_done(void **state)
{
    (void)state;
    struct count count = {0};
    background_cancel(background_begin(2, count_up, &count));
    assert_false(background_run_step());
    assert_int_equal(atomic_load(&count.steps), 0);
    struct background_task *task = background_begin(2, count_up, &count);
    assert_true(background_run_step());
    background_cancel(task);
    assert_int_equal(atomic_load(&count.steps), 1);
    background_cancel(NULL);
}

SUITE(test_background)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_steps_are_done_once),  cmocka_unit_test(many_may_help),
        cmocka_unit_test(who_waits_does_it),        cmocka_unit_test(what_is_dropped_is_not_done),
        cmocka_unit_test(only_one_waits_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
