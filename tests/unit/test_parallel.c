#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/core/parallel.h"

enum { ITEMS = 1000, THREADS_MOST = 9 };

struct visits {
    atomic_int item[ITEMS];
    atomic_int busy[THREADS_MOST]; /* how many items the thread is in */
    atomic_int faults;
    int threads;
};

static void visit(void *context, size_t index, int thread)
{
    struct visits *visits = context;
    if (thread < 0 || thread >= visits->threads) {
        atomic_fetch_add(&visits->faults, 1);
        return;
    }
    if (atomic_fetch_add(&visits->busy[thread], 1) != 0)
        atomic_fetch_add(&visits->faults, 1);
    atomic_fetch_add(&visits->item[index], 1);
    atomic_fetch_sub(&visits->busy[thread], 1);
}

static void each_item_is_done_once(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, ITEMS};
    for (int threads = 0; threads <= THREADS_MOST; threads++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct visits visits = {.threads = threads > 0 ? threads : 1};
            parallel_for(threads, counts[i], visit, &visits);
            assert_int_equal(atomic_load(&visits.faults), 0);
            for (size_t k = 0; k < ITEMS; k++)
                assert_int_equal(atomic_load(&visits.item[k]), k < counts[i]);
        }
    }
}

struct meeting {
    atomic_int here;
    int wanted;
};

/* Comes back only when so many are here at a time. */
static void meet(void *context, size_t index, int thread)
{
    struct meeting *meeting = context;
    (void)index;
    (void)thread;
    atomic_fetch_add(&meeting->here, 1);
    while (atomic_load(&meeting->here) < meeting->wanted)
        ;
}

static void items_run_at_the_same_time(void **state)
{
    (void)state;
    struct meeting meeting = {.wanted = 3};
    parallel_for(3, 3, meet, &meeting);
    assert_int_equal(atomic_load(&meeting.here), 3);
}

static void asking_for_none_gives_one_a_processor(void **state)
{
    (void)state;
    assert_true(parallel_threads(0) >= 1);
    assert_int_equal(parallel_threads(5), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_is_done_once),
        cmocka_unit_test(items_run_at_the_same_time),
        cmocka_unit_test(asking_for_none_gives_one_a_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
