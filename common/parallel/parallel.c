#include "common/parallel/parallel.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/core/clock.h"
#include "common/core/float_mode.h"
#include "common/core/memory.h"
#include "common/parallel/background.h"
#include "common/parallel/cpu_count.h"
#include "common/parallel/region.h"

/* A stage is one parallel region, whose threads distribute the loops of the stage themselves, so
 * that even a loop of a tenth of a millisecond is worth distributing. While the stage runs serial
 * code its threads sleep instead of spinning, as those of OpenMP do between regions: on a build
 * farm with one job per CPU, time spent spinning is taken from other jobs. They spin only for about
 * the time that sleeping and waking take, because rounds of short loops follow each other faster
 * than that.
 *
 * The thread that starts a loop works too, and does not wait for threads that have not woken up
 * when all items are taken. With one region per loop it would have to, which doubled the time on a
 * busy machine. */
#define SPIN_SECONDS 100e-6

/* Items that no thread has taken yet, in a cache line of their own. */
struct range {
    alignas(64) atomic_size_t next;
    size_t end;
};

enum { FEW_RANGES = 16 };

struct loop {
    parallel_item *item;
    void *context;
    struct range *ranges;
    int range_count;
    const volatile sig_atomic_t *stop; /* nonzero: no further items; or NULL */
};

/* The threads of a stage, led by the one that started it. A loop that is started without a stage,
 * within an item or in another thread, does not use the pool: it is a region of its own.
 *
 * A loop is synchronised by `turn` and `inside` alone. A worker increments `inside` before it reads
 * `turn`, and decrements it when it is done or the turn is over. The leader clears `turn` when all
 * items are taken, and waits until `inside` is 0. The mutex is only for sleeping threads. */
struct thread_pool {
    const struct loop *loop;  /* NULL: no loop is running */
    int threads;              /* of the loop */
    unsigned long long turns; /* number of loops so far */
    bool spins;               /* there is a CPU for each thread, so that waiting threads may spin */
    atomic_ullong turn; /* number of the loop while threads may join it, else 0; or TURN_LAST */
    atomic_int inside;
    pthread_mutex_t mutex;
    pthread_cond_t wanted, left;
    int sleeping;              /* number of threads that sleep on `wanted` */
    atomic_bool leader_sleeps; /* the leader sleeps on `left` */
};

#define TURN_LAST (~0ULL) /* the stage is over */

static _Thread_local struct thread_pool *led_pool; /* pool that this thread leads, or NULL */

int parallel_threads(int asked)
{
    return asked > 0 ? asked : cpu_count();
}

void parallel_prepare(void)
{
    region_prepare();
}

/* Works on the thread's own range, then on the rest of the others'. */
static void work(const struct loop *loop, int number)
{
    for (int i = 0; i < loop->range_count; i++) {
        struct range *range = &loop->ranges[(number + i) % loop->range_count];
        for (size_t k; (k = atomic_fetch_add(&range->next, 1)) < range->end;) {
            if (loop->stop && *loop->stop)
                return;
            loop->item(loop->context, k, number);
        }
    }
}

static bool is_wanted(struct thread_pool *pool, unsigned long long last)
{
    unsigned long long turn = atomic_load(&pool->turn);
    return turn && turn != last;
}

static bool all_left(struct thread_pool *pool, unsigned long long last)
{
    (void)last;
    return atomic_load(&pool->inside) == 0;
}

/* Spins for a while, longer while there are background steps to do. Returns true when the condition
 * holds. */
static bool spin_until(bool (*holds)(struct thread_pool *pool, unsigned long long last),
                       struct thread_pool *pool, unsigned long long last)
{
    double end = clock_seconds(CLOCK_MONOTONIC) + SPIN_SECONDS;
    while (!holds(pool, last)) {
        if (background_run_step())
            end = clock_seconds(CLOCK_MONOTONIC) + SPIN_SECONDS;
        else if (!pool->spins || clock_seconds(CLOCK_MONOTONIC) >= end)
            return false;
    }
    return true;
}

static void wait_for_loop(struct thread_pool *pool, unsigned long long last)
{
    if (spin_until(is_wanted, pool, last))
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->sleeping++;
    while (!is_wanted(pool, last))
        pthread_cond_wait(&pool->wanted, &pool->mutex);
    pool->sleeping--;
    pthread_mutex_unlock(&pool->mutex);
}

static void wait_for_others(struct thread_pool *pool)
{
    if (spin_until(all_left, pool, 0))
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->leader_sleeps, true);
    while (!all_left(pool, 0))
        pthread_cond_wait(&pool->left, &pool->mutex);
    atomic_store(&pool->leader_sleeps, false);
    pthread_mutex_unlock(&pool->mutex);
}

static void leave(struct thread_pool *pool)
{
    if (atomic_fetch_sub(&pool->inside, 1) > 1 || !atomic_load(&pool->leader_sleeps))
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->left);
    pthread_mutex_unlock(&pool->mutex);
}

/* Runs a worker until the end of the stage. */
static void serve(struct thread_pool *pool, int number)
{
    unsigned long long last = 0;
    while (last != TURN_LAST) {
        wait_for_loop(pool, last);
        atomic_fetch_add(&pool->inside, 1);
        unsigned long long turn = atomic_load(&pool->turn);
        if (turn) { /* the loop cannot end now, as this thread is counted */
            if (turn != last && turn != TURN_LAST && number < pool->threads)
                work(pool->loop, number);
            last = turn;
        }
        leave(pool);
    }
}

static void begin_turn(struct thread_pool *pool, unsigned long long turn)
{
    atomic_store(&pool->turn, turn);
    pthread_mutex_lock(&pool->mutex);
    if (pool->sleeping)
        pthread_cond_broadcast(&pool->wanted);
    pthread_mutex_unlock(&pool->mutex);
}

static void run_with_pool(struct thread_pool *pool, const struct loop *loop, int threads)
{
    pool->loop = loop;
    pool->threads = threads;
    begin_turn(pool, ++pool->turns);
    work(loop, 0);
    atomic_store(&pool->turn, 0);
    wait_for_others(pool);
    pool->loop = NULL;
}

static void lead(struct thread_pool *pool, parallel_body *body, void *context)
{
    led_pool = pool;
    body(context);
    led_pool = NULL;
    begin_turn(pool, TURN_LAST);
}

struct lone_loop {
    const struct loop *loop;
    atomic_int done; /* number of threads that have found no more items */
};

/* When the system provides fewer threads, those do all the work.
 *
 * The threads of a region may be those of a program that has set their floating-point mode, and not
 * each runtime gives them that of the thread that starts it. */
static void work_in_region(void *context, int number, int count)
{
    struct lone_loop *lone = context;
    struct float_mode mode;
    float_mode_begin(&mode);
    work(lone->loop, number);
    atomic_fetch_add(&lone->done, 1);
    while (atomic_load(&lone->done) < count && background_run_step())
        continue;
    float_mode_end(&mode);
}

struct stage {
    struct thread_pool *pool;
    parallel_body *body;
    void *context;
};

static void stage_in_region(void *context, int number, int count)
{
    const struct stage *stage = context;
    struct float_mode mode;
    (void)count;
    float_mode_begin(&mode);
    if (number == 0)
        lead(stage->pool, stage->body, stage->context);
    else
        serve(stage->pool, number);
    float_mode_end(&mode);
}

void parallel_stage(int threads, parallel_body *body, void *context)
{
    if (threads <= 1 || led_pool) {
        body(context);
        return;
    }
    struct thread_pool pool = {.spins = threads <= cpu_count(),
                               .mutex = PTHREAD_MUTEX_INITIALIZER,
                               .wanted = PTHREAD_COND_INITIALIZER,
                               .left = PTHREAD_COND_INITIALIZER};
    region_run(threads, stage_in_region, &(struct stage){&pool, body, context});
    pthread_cond_destroy(&pool.wanted);
    pthread_cond_destroy(&pool.left);
    pthread_mutex_destroy(&pool.mutex);
}

static size_t chunk_begin(int threads, size_t count, int thread)
{
    return count * (size_t)thread / (size_t)threads;
}

static void run(const struct loop *loop, int threads)
{
    if (threads <= 1)
        work(loop, 0);
    else if (led_pool && !led_pool->loop)
        run_with_pool(led_pool, loop, threads);
    else
        region_run(threads, work_in_region, &(struct lone_loop){.loop = loop});
}

void parallel_for_until(const volatile sig_atomic_t *stop, int threads, size_t count,
                        parallel_item *item, void *context)
{
    struct range all = {.end = count};
    if (threads > 0 && (size_t)threads > count)
        threads = (int)count;
    run(&(struct loop){item, context, &all, 1, stop}, threads);
}

void parallel_for(int threads, size_t count, parallel_item *item, void *context)
{
    parallel_for_until(NULL, threads, count, item, context);
}

/* first: as in parallel_ranges; NULL: static chunks. */
static void run_ranges(int threads, const size_t *first, size_t count, parallel_item *item,
                       void *context)
{
    struct range few[FEW_RANGES], *ranges = few;
    if (threads > FEW_RANGES)
        ranges = memory_aligned((size_t)threads, sizeof *ranges);
    for (int i = 0; i < threads; i++) {
        atomic_init(&ranges[i].next, first ? first[i] : chunk_begin(threads, count, i));
        ranges[i].end = first ? first[i + 1] : chunk_begin(threads, count, i + 1);
    }
    run(&(struct loop){item, context, ranges, threads, NULL}, threads);
    if (ranges != few)
        memory_free(ranges);
}

void parallel_ranges(int threads, const size_t *first, parallel_item *item, void *context)
{
    run_ranges(threads, first, 0, item, context);
}

void parallel_chunks(int threads, size_t count, parallel_item *item, void *context)
{
    run_ranges(threads, NULL, count, item, context);
}

int parallel_chunk_of(int threads, size_t count, size_t item)
{
    return (int)(((item + 1) * (size_t)threads - 1) / count);
}
