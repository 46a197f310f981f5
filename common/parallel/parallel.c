#include "common/parallel/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/parallel/aside.h"
#include "common/parallel/processors.h"

#ifndef _OPENMP
#error Loops run on OpenMP: compile this file with -fopenmp.
#endif

/* A stage is one parallel region of OpenMP, whose threads hand out the loops of the stage among
 * themselves: a loop of a tenth of a millisecond is worth sharing out then. None waits spinning
 * while the stage does what cannot be shared out, as threads between regions do: on a farm that
 * runs a job a processor, time that is waited away is another job's. But for as long as it takes to
 * go to sleep and be woken: rounds of short loops follow each other sooner than that.
 *
 * Who begins a loop works too, and does not wait for a thread that has not woken up when all items
 * are taken. With a region a loop it would, and on a busy machine that took as long again. */
#define SPIN_SECONDS 100e-6

/* Of LLVM's runtime, which is linked with gcc's code too, whose omp.h does not have them: how long
 * threads spin at the ends of regions. gcc's runtime reads that from the environment, when it is
 * loaded. */
void kmp_set_blocktime(int milliseconds);
int kmp_get_blocktime(void);

/* Items that nobody has taken yet, in a line of the cache of their own. */
struct part {
    alignas(64) atomic_size_t next;
    size_t end;
};

enum { FEW_PARTS = 16 };

struct loop {
    parallel_item *item;
    void *context;
    struct part *parts;
    int part_count;
};

/* The threads of a stage, of which the one that began it leads. A loop that begins where no stage
 * leads, within an item or in a thread of somebody else, has no part in it: it is a region of its
 * own.
 *
 * Who is awake comes and goes by `turn` and `inside` alone: a thread counts itself in, and out
 * again when it finds that the turn is over; the loop ends its turn, and waits until nobody is
 * counted. The mutex is for those that sleep. */
struct crew {
    const struct loop *loop;  /* NULL: none is on */
    int threads;              /* that the loop is for */
    unsigned long long turns; /* loops so far */
    bool spins;               /* there is a processor for each of them */
    atomic_ullong turn;       /* of the loop, while threads may come to it, else 0; or TURN_LAST */
    atomic_int inside;
    pthread_mutex_t mutex;
    pthread_cond_t wanted, left;
    int sleeping;       /* threads that wait to be wanted */
    atomic_bool lonely; /* who began the loop sleeps until all have left */
};

#define TURN_LAST (~0ULL) /* the stage is over */

static _Thread_local struct crew *led; /* by this thread, or NULL */

int parallel_threads(int asked)
{
    return asked > 0 ? asked : processors_count();
}

/* Its own part, then what is left of the others'. */
static void work(const struct loop *loop, int number)
{
    for (int i = 0; i < loop->part_count; i++) {
        struct part *part = &loop->parts[(number + i) % loop->part_count];
        for (size_t k; (k = atomic_fetch_add(&part->next, 1)) < part->end;)
            loop->item(loop->context, k, number);
    }
}

static bool is_wanted(struct crew *crew, unsigned long long last)
{
    unsigned long long turn = atomic_load(&crew->turn);
    return turn && turn != last;
}

static bool all_left(struct crew *crew, unsigned long long last)
{
    (void)last;
    return atomic_load(&crew->inside) == 0;
}

/* Waits a moment; longer while there is something to do aside. Whether it holds then. */
static bool spin_until(bool (*holds)(struct crew *crew, unsigned long long last), struct crew *crew,
                       unsigned long long last)
{
    double end = clock_seconds(CLOCK_MONOTONIC) + SPIN_SECONDS;
    while (!holds(crew, last)) {
        if (aside_help())
            end = clock_seconds(CLOCK_MONOTONIC) + SPIN_SECONDS;
        else if (!crew->spins || clock_seconds(CLOCK_MONOTONIC) >= end)
            return false;
    }
    return true;
}

static void wait_for_loop(struct crew *crew, unsigned long long last)
{
    if (spin_until(is_wanted, crew, last))
        return;
    pthread_mutex_lock(&crew->mutex);
    crew->sleeping++;
    while (!is_wanted(crew, last))
        pthread_cond_wait(&crew->wanted, &crew->mutex);
    crew->sleeping--;
    pthread_mutex_unlock(&crew->mutex);
}

static void wait_for_others(struct crew *crew)
{
    if (spin_until(all_left, crew, 0))
        return;
    pthread_mutex_lock(&crew->mutex);
    atomic_store(&crew->lonely, true);
    while (!all_left(crew, 0))
        pthread_cond_wait(&crew->left, &crew->mutex);
    atomic_store(&crew->lonely, false);
    pthread_mutex_unlock(&crew->mutex);
}

static void leave(struct crew *crew)
{
    if (atomic_fetch_sub(&crew->inside, 1) > 1 || !atomic_load(&crew->lonely))
        return;
    pthread_mutex_lock(&crew->mutex);
    pthread_cond_signal(&crew->left);
    pthread_mutex_unlock(&crew->mutex);
}

/* Until the stage is over. */
static void serve(struct crew *crew, int number)
{
    unsigned long long last = 0;
    while (last != TURN_LAST) {
        wait_for_loop(crew, last);
        atomic_fetch_add(&crew->inside, 1);
        unsigned long long turn = atomic_load(&crew->turn);
        if (turn) { /* then the loop stays, as this thread is counted */
            if (turn != last && turn != TURN_LAST && number < crew->threads)
                work(crew->loop, number);
            last = turn;
        }
        leave(crew);
    }
}

static void begin_turn(struct crew *crew, unsigned long long turn)
{
    atomic_store(&crew->turn, turn);
    pthread_mutex_lock(&crew->mutex);
    if (crew->sleeping)
        pthread_cond_broadcast(&crew->wanted);
    pthread_mutex_unlock(&crew->mutex);
}

static void run_with_crew(struct crew *crew, const struct loop *loop, int threads)
{
    crew->loop = loop;
    crew->threads = threads;
    begin_turn(crew, ++crew->turns);
    work(loop, 0);
    atomic_store(&crew->turn, 0);
    wait_for_others(crew);
    crew->loop = NULL;
}

static void lead(struct crew *crew, parallel_body *body, void *context)
{
    led = crew;
    body(context);
    led = NULL;
    begin_turn(crew, TURN_LAST);
}

/* Of the thread that begins a region, which may be one of a program that runs on OpenMP itself. */
struct settings {
    int levels, blocktime;
};

/* Regions within regions have threads only when they are told to. At the ends of a region nobody
 * waits spinning. */
static struct settings set_for_region(void)
{
    struct settings before = {omp_get_max_active_levels(), kmp_get_blocktime()};
    int level = omp_get_active_level();
    if (before.levels <= level)
        omp_set_max_active_levels(level + 1);
    kmp_set_blocktime(0);
    return before;
}

static void put_back(struct settings before)
{
    omp_set_max_active_levels(before.levels);
    kmp_set_blocktime(before.blocktime);
}

/* Where the runtime gives fewer threads, those that there are do it all. */
static void run_region(const struct loop *loop, int threads)
{
    struct settings before = set_for_region();
    atomic_int done = 0;
#pragma omp parallel num_threads(threads)
    {
        work(loop, omp_get_thread_num());
        atomic_fetch_add(&done, 1);
        while (atomic_load(&done) < omp_get_num_threads() && aside_help())
            continue;
    }
    put_back(before);
}

void parallel_stage(int threads, parallel_body *body, void *context)
{
    if (threads <= 1 || led) {
        body(context);
        return;
    }
    struct crew crew = {.spins = threads <= processors_count(),
                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                        .wanted = PTHREAD_COND_INITIALIZER,
                        .left = PTHREAD_COND_INITIALIZER};
    struct settings before = set_for_region();
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0)
            lead(&crew, body, context);
        else
            serve(&crew, omp_get_thread_num());
    }
    put_back(before);
    pthread_cond_destroy(&crew.wanted);
    pthread_cond_destroy(&crew.left);
    pthread_mutex_destroy(&crew.mutex);
}

static size_t stretch_begin(int threads, size_t count, int thread)
{
    return count * (size_t)thread / (size_t)threads;
}

static void run(const struct loop *loop, int threads)
{
    if (threads <= 1)
        work(loop, 0);
    else if (led && !led->loop)
        run_with_crew(led, loop, threads);
    else
        run_region(loop, threads);
}

void parallel_for(int threads, size_t count, parallel_item *item, void *context)
{
    struct part all = {.end = count};
    if (threads > 0 && (size_t)threads > count)
        threads = (int)count;
    run(&(struct loop){item, context, &all, 1}, threads);
}

/* first: as parallel_parts has it; NULL: stretches. */
static void run_parts(int threads, const size_t *first, size_t count, parallel_item *item,
                      void *context)
{
    struct part few[FEW_PARTS], *parts = few;
    if (threads > FEW_PARTS)
        parts = memory_aligned((size_t)threads, sizeof *parts);
    for (int i = 0; i < threads; i++) {
        atomic_init(&parts[i].next, first ? first[i] : stretch_begin(threads, count, i));
        parts[i].end = first ? first[i + 1] : stretch_begin(threads, count, i + 1);
    }
    run(&(struct loop){item, context, parts, threads}, threads);
    if (parts != few)
        memory_free(parts);
}

void parallel_parts(int threads, const size_t *first, parallel_item *item, void *context)
{
    run_parts(threads, first, 0, item, context);
}

void parallel_stretches(int threads, size_t count, parallel_item *item, void *context)
{
    run_parts(threads, NULL, count, item, context);
}

int parallel_stretch_of(int threads, size_t count, size_t item)
{
    return (int)(((item + 1) * (size_t)threads - 1) / count);
}
