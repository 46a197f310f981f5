#include "common/parallel/parallel.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/parallel/aside.h"
#include "common/parallel/processors.h"

/* Threads are started once and sleep between loops: a loop of a tenth of a millisecond is worth
 * sharing out then. None waits spinning while the program does what cannot be shared out, as those
 * of OpenMP do: on a farm that runs a job a processor, time that is waited away is another job's.
 * But for as long as it takes to go to sleep and be woken: rounds of short loops follow each other
 * sooner than that.
 *
 * Who begins a loop works too, and does not wait for a thread that has not woken up when all items
 * are taken. */
#define SPIN_SECONDS 100e-6

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

/* One for the process: there is one machine. A loop that begins while another one is on, within
 * one of its items or in a thread of somebody else, has no part in it and starts its own threads.
 *
 * Who is awake comes and goes by `turn` and `inside` alone: a thread counts itself in, and out
 * again when it finds that the turn is over; the loop ends its turn, and waits until nobody is
 * counted. The mutex is for those that sleep. */
static struct crew {
    atomic_bool taken;
    const struct loop *loop;
    int threads;              /* that the loop is for */
    int started;              /* so far */
    atomic_int numbered;      /* of these: 1 and so on */
    unsigned long long turns; /* loops so far */
    atomic_bool spins;        /* there is a processor for each of them */
    atomic_ullong turn;       /* of the loop, while threads may come to it, else 0 */
    atomic_int inside;
    pthread_mutex_t mutex;
    pthread_cond_t wanted, left;
    int sleeping;       /* threads that wait to be wanted */
    atomic_bool lonely; /* who began the loop sleeps until all have left */
} crew = {.mutex = PTHREAD_MUTEX_INITIALIZER,
          .wanted = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

struct worker {
    const struct loop *loop;
    int number;
    pthread_t thread;
};

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

static bool is_wanted(unsigned long long last)
{
    unsigned long long turn = atomic_load(&crew.turn);
    return turn && turn != last;
}

static bool all_left(unsigned long long last)
{
    (void)last;
    return atomic_load(&crew.inside) == 0;
}

/* Waits a moment; longer while there is something to do aside. Whether it holds then. */
static bool spin_until(bool (*holds)(unsigned long long last), unsigned long long last)
{
    double end = clock_seconds(CLOCK_MONOTONIC) + SPIN_SECONDS;
    while (!holds(last)) {
        if (aside_help())
            end = clock_seconds(CLOCK_MONOTONIC) + SPIN_SECONDS;
        else if (!atomic_load(&crew.spins) || clock_seconds(CLOCK_MONOTONIC) >= end)
            return false;
    }
    return true;
}

static void wait_for_loop(unsigned long long last)
{
    if (spin_until(is_wanted, last))
        return;
    pthread_mutex_lock(&crew.mutex);
    crew.sleeping++;
    while (!is_wanted(last))
        pthread_cond_wait(&crew.wanted, &crew.mutex);
    crew.sleeping--;
    pthread_mutex_unlock(&crew.mutex);
}

static void wait_for_others(void)
{
    if (spin_until(all_left, 0))
        return;
    pthread_mutex_lock(&crew.mutex);
    atomic_store(&crew.lonely, true);
    while (!all_left(0))
        pthread_cond_wait(&crew.left, &crew.mutex);
    atomic_store(&crew.lonely, false);
    pthread_mutex_unlock(&crew.mutex);
}

static void leave(void)
{
    if (atomic_fetch_sub(&crew.inside, 1) > 1 || !atomic_load(&crew.lonely))
        return;
    pthread_mutex_lock(&crew.mutex);
    pthread_cond_signal(&crew.left);
    pthread_mutex_unlock(&crew.mutex);
}

/* Until the process ends. */
static void *serve(void *argument)
{
    (void)argument;
    int number = atomic_fetch_add(&crew.numbered, 1) + 1;
    unsigned long long last = 0;
    for (;;) {
        wait_for_loop(last);
        atomic_fetch_add(&crew.inside, 1);
        unsigned long long turn = atomic_load(&crew.turn);
        if (turn) { /* then the loop stays, as this thread is counted */
            if (turn != last && number < crew.threads)
                work(crew.loop, number);
            last = turn;
        }
        leave();
    }
    return NULL;
}

/* Where the system gives no more threads, those that there are do it all. */
static void hire(int count)
{
    pthread_t thread;
    if (crew.started >= count)
        return;
    while (crew.started < count && pthread_create(&thread, NULL, serve, NULL) == 0) {
        (void)pthread_detach(thread);
        crew.started++;
    }
    atomic_store(&crew.spins, crew.started < processors_count());
}

static void wake(void)
{
    pthread_mutex_lock(&crew.mutex);
    if (crew.sleeping)
        pthread_cond_broadcast(&crew.wanted);
    pthread_mutex_unlock(&crew.mutex);
}

static void run_with_crew(const struct loop *loop, int threads)
{
    hire(threads - 1);
    crew.loop = loop;
    crew.threads = threads;
    atomic_store(&crew.turn, ++crew.turns);
    wake();
    work(loop, 0);
    atomic_store(&crew.turn, 0);
    wait_for_others();
}

static void *work_once(void *argument)
{
    const struct worker *worker = argument;
    work(worker->loop, worker->number);
    return NULL;
}

static void run_with_own(const struct loop *loop, int threads)
{
    size_t wanted = (size_t)threads, started = 1;
    struct worker *workers = memory_zalloc(wanted, sizeof *workers);
    for (size_t i = 0; i < wanted; i++)
        workers[i] = (struct worker){.loop = loop, .number = (int)i};
    while (started < wanted &&
           pthread_create(&workers[started].thread, NULL, work_once, &workers[started]) == 0)
        started++;
    work(loop, 0);
    for (size_t i = 1; i < started; i++)
        (void)pthread_join(workers[i].thread, NULL);
    memory_free(workers);
}

static size_t stretch_begin(int threads, size_t count, int thread)
{
    return count * (size_t)thread / (size_t)threads;
}

static void run(const struct loop *loop, int threads)
{
    if (threads <= 1) {
        work(loop, 0);
    } else if (!atomic_exchange(&crew.taken, true)) {
        run_with_crew(loop, threads);
        atomic_store(&crew.taken, false);
    } else {
        run_with_own(loop, threads);
    }
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
