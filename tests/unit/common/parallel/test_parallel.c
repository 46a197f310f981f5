#include "tests/support/suite.h"

#include <stdatomic.h>

#include "common/parallel/parallel.h"
#include "common/parallel/processors.h"

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

static void expect_all(const struct visits *visits, size_t count)
{
    assert_int_equal(atomic_load(&visits->faults), 0);
    for (size_t k = 0; k < ITEMS; k++)
        assert_int_equal(atomic_load(&visits->item[k]), k < count);
}

static void each_item_is_done_once(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, ITEMS};
    for (int threads = 0; threads <= THREADS_MOST; threads++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct visits visits = {.threads = threads > 0 ? threads : 1};
            parallel_for(threads, counts[i], visit, &visits);
            expect_all(&visits, counts[i]);
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

enum { NESTED = 64 };

static atomic_int nested_visits[NESTED][NESTED];

static void visit_inner(void *context, size_t index, int thread)
{
    atomic_int *row = context;
    (void)thread;
    atomic_fetch_add(&row[index], 1);
}

static void visit_outer(void *context, size_t index, int thread)
{
    (void)context;
    (void)thread;
    parallel_for(3, NESTED, visit_inner, nested_visits[index]);
}

static void loops_may_begin_within_items(void **state)
{
    (void)state;
    parallel_for(4, NESTED, visit_outer, NULL);
    for (int i = 0; i < NESTED; i++)
        for (int k = 0; k < NESTED; k++)
            assert_int_equal(atomic_load(&nested_visits[i][k]), 1);
}

struct round {
    int sum[THREADS_MOST]; /* one a thread: no two may have the same number */
};

static void add_one(void *context, size_t index, int thread)
{
    struct round *round = context;
    (void)index;
    round->sum[thread]++;
}

/* Threads of one loop must be out of it when the next one begins, whatever number each has. */
static void many_short_loops_follow_each_other(void **state)
{
    (void)state;
    enum { LOOPS = 20000 };
    for (int i = 0; i < LOOPS; i++) {
        struct round round = {0};
        int threads = 2 + i % (THREADS_MOST - 1), total = 0;
        size_t count = (size_t)(i % 13);
        parallel_for(threads, count, add_one, &round);
        for (int k = 0; k < THREADS_MOST; k++)
            total += round.sum[k];
        assert_int_equal(total, (int)count);
    }
}

static void all_parts_are_done(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS_MOST; threads++) {
        size_t first[THREADS_MOST + 1] = {0};
        for (int t = 0; t < threads; t++)
            first[t + 1] = first[t] + (size_t)(t * 37 % 100);
        struct visits visits = {.threads = threads};
        parallel_parts(threads, first, visit, &visits);
        expect_all(&visits, first[threads]);
    }
}

static void all_stretches_are_done(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, ITEMS};
    for (int threads = 1; threads <= THREADS_MOST; threads++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct visits visits = {.threads = threads};
            parallel_stretches(threads, counts[i], visit, &visits);
            expect_all(&visits, counts[i]);
        }
    }
}

struct homes {
    struct meeting meeting;
    atomic_int strays;
};

/* Item i is that of thread i; each waits until all are taken. */
static void come_home(void *context, size_t index, int thread)
{
    struct homes *homes = context;
    if (index != (size_t)thread || parallel_stretch_of(3, 3, index) != thread)
        atomic_fetch_add(&homes->strays, 1);
    meet(&homes->meeting, index, thread);
}

static void threads_begin_with_their_own_part(void **state)
{
    (void)state;
    static const size_t first[] = {0, 1, 2, 3};
    for (int i = 0; i < 100; i++) {
        struct homes homes = {.meeting = {.wanted = 3}};
        if (i % 2)
            parallel_parts(3, first, come_home, &homes);
        else
            parallel_stretches(3, 3, come_home, &homes);
        assert_int_equal(atomic_load(&homes.strays), 0);
    }
}

/* Stretches follow each other, and differ by one item at most. */
static void items_know_their_stretch(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS_MOST; threads++) {
        for (size_t count = 1; count < 40; count++) {
            size_t length[THREADS_MOST] = {0};
            for (size_t i = 0; i < count; i++) {
                int stretch = parallel_stretch_of(threads, count, i);
                assert_in_range(stretch, i ? parallel_stretch_of(threads, count, i - 1) : 0,
                                threads - 1);
                length[stretch]++;
            }
            for (int t = 0; t < threads; t++)
                assert_in_range(length[t], count / (size_t)threads, count / (size_t)threads + 1);
        }
    }
}

static void asking_for_none_gives_one_a_processor(void **state)
{
    (void)state;
    assert_int_equal(parallel_threads(0), processors_count());
    assert_int_equal(parallel_threads(5), 5);
}

SUITE(test_parallel)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_is_done_once),
        cmocka_unit_test(items_run_at_the_same_time),
        cmocka_unit_test(loops_may_begin_within_items),
        cmocka_unit_test(many_short_loops_follow_each_other),
        cmocka_unit_test(all_parts_are_done),
        cmocka_unit_test(all_stretches_are_done),
        cmocka_unit_test(items_know_their_stretch),
        cmocka_unit_test(threads_begin_with_their_own_part),
        cmocka_unit_test(asking_for_none_gives_one_a_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
