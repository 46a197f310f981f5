#include "tests/support/suite.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "common/parallel/background.h"
#include "common/parallel/cpu_count.h"
#include "common/parallel/parallel.h"
#include "tests/support/flush_denormals.h"

enum { ITEMS = 1000, THREADS_MAX = 9 };

struct visits {
    atomic_int item[ITEMS];
    atomic_int busy[THREADS_MAX]; /* number of items that the thread is in */
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
    for (int threads = 0; threads <= THREADS_MAX; threads++) {
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

/* Returns only when that many are here at the same time. */
static void meet(void *context, size_t index, int thread)
{
    struct meeting *meeting = context;
    (void)index;
    (void)thread;
    atomic_fetch_add(&meeting->here, 1);
    while (atomic_load(&meeting->here) < meeting->wanted)
        sched_yield(); /* there may be fewer processors */
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

static void meet_inside(void *context, size_t index, int thread)
{
    struct meeting *meetings = context;
    (void)thread;
    parallel_for(3, 3, meet, &meetings[index]);
}

static void make_loops_within_items(void *context)
{
    parallel_for(2, 2, meet_inside, context);
}

static void loops_within_items_have_threads_of_their_own(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct meeting meetings[2] = {{.wanted = 3}, {.wanted = 3}};
        if (i % 2)
            parallel_stage(2, make_loops_within_items, meetings);
        else
            make_loops_within_items(meetings);
        for (int k = 0; k < 2; k++)
            assert_int_equal(atomic_load(&meetings[k].here), 3);
    }
}

enum { JOBS = 4, LOOPS_OF_JOB = 200 };

static void run_loops(void *context)
{
    struct visits *visits = context;
    for (int i = 0; i < LOOPS_OF_JOB; i++)
        parallel_for(visits->threads, ITEMS, visit, visits);
}

/* One of them without a stage. */
static void *run_job(void *argument)
{
    struct visits *visits = argument;
    if (visits->threads == JOBS)
        run_loops(visits);
    else
        parallel_stage(visits->threads, run_loops, visits);
    return NULL;
}

static void several_callers_have_loops_at_a_time(void **state)
{
    (void)state;
    static struct visits visits[JOBS];
    pthread_t jobs[JOBS];
    for (int i = 0; i < JOBS; i++) {
        visits[i].threads = 1 + i;
        assert_int_equal(pthread_create(&jobs[i], NULL, run_job, &visits[i]), 0);
    }
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(pthread_join(jobs[i], NULL), 0);
        assert_int_equal(atomic_load(&visits[i].faults), 0);
        for (int k = 0; k < ITEMS; k++)
            assert_int_equal(atomic_load(&visits[i].item[k]), LOOPS_OF_JOB);
    }
}

static void make_loops(void *context)
{
    struct meeting *meetings = context;
    for (int i = 0; i < 3; i++)
        parallel_for(2 + i, 2 + (size_t)i, meet, &meetings[i]);
}

/* In a stage, up to its number of threads; on a thread that does not lead it, other threads. */
static void loops_of_a_stage_share_its_threads(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct meeting meetings[3] = {{.wanted = 2}, {.wanted = 3}, {.wanted = 4}};
        parallel_stage(4, make_loops, meetings);
        for (int k = 0; k < 3; k++)
            assert_int_equal(atomic_load(&meetings[k].here), 2 + k);
    }
}

static void loop_of_more_threads(void *context)
{
    struct visits *visits = context;
    parallel_for(THREADS_MAX, ITEMS, visit, visits);
}

static void a_stage_has_no_more_threads_than_it_was_given(void **state)
{
    (void)state;
    struct visits visits = {.threads = 2};
    parallel_stage(2, loop_of_more_threads, &visits);
    expect_all(&visits, ITEMS);
}

static void make_stage(void *context)
{
    parallel_stage(4, make_loops, context);
}

static void meet_in_stage(void *context, size_t index, int thread)
{
    (void)index;
    (void)thread;
    struct meeting meetings[3] = {{.wanted = 2}, {.wanted = 3}, {.wanted = 4}};
    parallel_stage(4, make_loops, meetings);
    for (int k = 0; k < 3; k++)
        atomic_fetch_add((atomic_int *)context, atomic_load(&meetings[k].here));
}

static void make_stages_in_items(void *context)
{
    parallel_for(2, 2, meet_in_stage, context);
}

static void stages_may_begin_within_stages(void **state)
{
    (void)state;
    struct meeting meetings[3] = {{.wanted = 2}, {.wanted = 3}, {.wanted = 4}};
    parallel_stage(4, make_stage, meetings);
    for (int k = 0; k < 3; k++)
        assert_int_equal(atomic_load(&meetings[k].here), 2 + k);
    atomic_int met = 0;
    parallel_stage(2, make_stages_in_items, &met);
    assert_int_equal(atomic_load(&met), 2 * (2 + 3 + 4));
}

struct round {
    int sum[THREADS_MAX]; /* one per thread: no two may have the same number */
};

static void add_one(void *context, size_t index, int thread)
{
    struct round *round = context;
    (void)index;
    round->sum[thread]++;
}

/* Threads of one loop must have left it when the next one starts, whatever their numbers. */
static void make_short_loops(void *context)
{
    int *mistakes = context;
    enum { LOOPS = 20000 };
    for (int i = 0; i < LOOPS; i++) {
        struct round round = {0};
        int threads = 2 + i % (THREADS_MAX - 1), total = 0;
        size_t count = (size_t)(i % 13);
        parallel_for(threads, count, add_one, &round);
        for (int k = 0; k < THREADS_MAX; k++)
            total += round.sum[k];
        *mistakes += total != (int)count;
    }
}

static void many_short_loops_follow_each_other(void **state)
{
    (void)state;
    int mistakes = 0;
    parallel_stage(THREADS_MAX, make_short_loops, &mistakes);
    assert_int_equal(mistakes, 0);
}

static void all_ranges_are_done(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        size_t first[THREADS_MAX + 1] = {0};
        for (int t = 0; t < threads; t++)
            first[t + 1] = first[t] + (size_t)(t * 37 % 100);
        struct visits visits = {.threads = threads};
        parallel_ranges(threads, first, visit, &visits);
        expect_all(&visits, first[threads]);
    }
}

static void all_chunks_are_done(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, ITEMS};
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct visits visits = {.threads = threads};
            parallel_chunks(threads, counts[i], visit, &visits);
            expect_all(&visits, counts[i]);
        }
    }
}

struct homes {
    struct meeting meeting;
    atomic_int strays;
};

/* Item i belongs to thread i; each waits until all are taken. */
static void come_home(void *context, size_t index, int thread)
{
    struct homes *homes = context;
    if (index != (size_t)thread || parallel_chunk_of(3, 3, index) != thread)
        atomic_fetch_add(&homes->strays, 1);
    meet(&homes->meeting, index, thread);
}

static void threads_begin_with_their_own_range(void **state)
{
    (void)state;
    static const size_t first[] = {0, 1, 2, 3};
    for (int i = 0; i < 100; i++) {
        struct homes homes = {.meeting = {.wanted = 3}};
        if (i % 2)
            parallel_ranges(3, first, come_home, &homes);
        else
            parallel_chunks(3, 3, come_home, &homes);
        assert_int_equal(atomic_load(&homes.strays), 0);
    }
}

/* Chunks are consecutive, and differ by at most one item. */
static void items_know_their_chunk(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        for (size_t count = 1; count < 40; count++) {
            size_t length[THREADS_MAX] = {0};
            for (size_t i = 0; i < count; i++) {
                int chunk = parallel_chunk_of(threads, count, i);
                assert_in_range(chunk, i ? parallel_chunk_of(threads, count, i - 1) : 0,
                                threads - 1);
                length[chunk]++;
            }
            for (int t = 0; t < threads; t++)
                assert_in_range(length[t], count / (size_t)threads, count / (size_t)threads + 1);
        }
    }
}

static void asking_for_none_gives_one_a_processor(void **state)
{
    (void)state;
    assert_int_equal(parallel_threads(0), cpu_count());
    assert_int_equal(parallel_threads(5), 5);
}

struct stopping {
    volatile sig_atomic_t stop;
    atomic_int done;
};

static void stop_at_ten(void *context, size_t index, int thread)
{
    struct stopping *stopping = context;
    (void)index;
    (void)thread;
    if (atomic_fetch_add(&stopping->done, 1) + 1 >= 10)
        stopping->stop = 1;
}

static void in_stage(void *context)
{
    struct stopping *stopping = context;
    parallel_for_until(&stopping->stop, 3, ITEMS, stop_at_ten, stopping);
}

/* Items that have begun come to their end. */
static void a_loop_that_is_stopped_leaves_items_out(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        struct stopping alone = {0}, staged = {0};
        parallel_for_until(&alone.stop, threads, ITEMS, stop_at_ten, &alone);
        assert_in_range(atomic_load(&alone.done), 10, 10 + threads);
        parallel_stage(threads, in_stage, &staged);
        assert_in_range(atomic_load(&staged.done), 10, 13);
    }
    struct stopping never = {0};
    parallel_for_until(NULL, 2, ITEMS, stop_at_ten, &never);
    assert_int_equal(atomic_load(&never.done), ITEMS);
}

/* Counts items that are not done in the default mode; those of several threads, on any processor.
 */
static void see_mode(void *context, size_t index, int thread)
{
    atomic_int *others = context;
    (void)index;
    (void)thread;
    if (fegetround() != FE_TONEAREST || flushes_denormals())
        atomic_fetch_add(others, 1);
}

static void see_modes(void *context)
{
    parallel_for(3, ITEMS, see_mode, context);
}

static void threads_work_in_the_default_mode(void **state)
{
    (void)state;
    fenv_t clean;
    atomic_int others = 0;
    fegetenv(&clean);
    flush_denormals();
    fesetround(FE_UPWARD);
    see_modes(&others);
    parallel_stage(3, see_modes, &others);
    const int after = fegetround();
    fesetenv(&clean);
    assert_int_equal(atomic_load(&others), 0);
    assert_int_equal(after, FE_UPWARD);
}

/* --- background --- */

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

SUITE(test_parallel)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_is_done_once),
        cmocka_unit_test(items_run_at_the_same_time),
        cmocka_unit_test(loops_may_begin_within_items),
        cmocka_unit_test(loops_within_items_have_threads_of_their_own),
        cmocka_unit_test(several_callers_have_loops_at_a_time),
        cmocka_unit_test(loops_of_a_stage_share_its_threads),
        cmocka_unit_test(a_stage_has_no_more_threads_than_it_was_given),
        cmocka_unit_test(stages_may_begin_within_stages),
        cmocka_unit_test(many_short_loops_follow_each_other),
        cmocka_unit_test(all_ranges_are_done),
        cmocka_unit_test(all_chunks_are_done),
        cmocka_unit_test(items_know_their_chunk),
        cmocka_unit_test(threads_begin_with_their_own_range),
        cmocka_unit_test(asking_for_none_gives_one_a_processor),
        cmocka_unit_test(a_loop_that_is_stopped_leaves_items_out),
        cmocka_unit_test(threads_work_in_the_default_mode),
        cmocka_unit_test(all_steps_are_done_once),
        cmocka_unit_test(many_may_help),
        cmocka_unit_test(who_waits_does_it),
        cmocka_unit_test(what_is_dropped_is_not_done),
        cmocka_unit_test(only_one_waits_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
