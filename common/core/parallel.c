#include "common/core/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "common/core/clock.h"
#include "common/core/memory.h"

/* Threads are started once and sleep between loops: a loop of a tenth of a millisecond is worth
 * sharing out then. None waits spinning while the program does what cannot be shared out, as those
 * of OpenMP do: on a farm that runs a job a processor, time that is waited away is another job's.
 * But for as long as it takes to go to sleep and be woken: rounds of short loops follow each other
 * sooner than that.
 *
 * Who begins a loop works too, and does not wait for a thread that has not woken up when all items
 * are taken. */
#define SPIN_SECONDS 40e-6

struct loop {
    parallel_item *item;
    void *context;
    size_t count;
    atomic_size_t next;
};

/* One for the process: there is one machine. A loop that begins while another one is on, within
 * one of its items or in a thread of somebody else, has no part in it and starts its own threads.
 */
static struct crew {
    atomic_bool taken;
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t wanted, left;
    struct loop *loop;
    int started;       /* threads */
    atomic_bool spins; /* there is a processor for each of them */
    int number;        /* of the next that comes */
    atomic_int places; /* that the loop still has for them; as what follows, read by who spins */
    atomic_int inside;
} crew = {.mutex = PTHREAD_MUTEX_INITIALIZER,
          .wanted = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

struct worker {
    struct loop *loop;
    int number;
    pthread_t thread;
};

int parallel_threads(int asked)
{
    long processors = asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (int)processors : 1;
}

static void work(struct loop *loop, int number)
{
    for (size_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->count;)
        loop->item(loop->context, i, number);
}

/* Waits a moment for there to be one, or for there to be none. */
static void spin_until(const atomic_int *number, bool some)
{
    double end = clock_seconds(CLOCK_MONOTONIC) + SPIN_SECONDS;
    while (atomic_load(&crew.spins) && (atomic_load(number) > 0) != some &&
           clock_seconds(CLOCK_MONOTONIC) < end)
        continue;
}

/* Until the process ends. */
static void *serve(void *argument)
{
    (void)argument;
    for (;;) {
        spin_until(&crew.places, true);
        pthread_mutex_lock(&crew.mutex);
        while (!crew.places)
            pthread_cond_wait(&crew.wanted, &crew.mutex);
        struct loop *loop = crew.loop;
        int number = crew.number++;
        crew.places--;
        crew.inside++;
        pthread_mutex_unlock(&crew.mutex);
        work(loop, number);
        pthread_mutex_lock(&crew.mutex);
        if (!--crew.inside)
            pthread_cond_signal(&crew.left);
        pthread_mutex_unlock(&crew.mutex);
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
    atomic_store(&crew.spins, crew.started < parallel_threads(0));
}

static void run_with_crew(struct loop *loop, int threads)
{
    pthread_mutex_lock(&crew.mutex);
    hire(threads - 1);
    crew.loop = loop;
    crew.number = 1;
    crew.places = threads - 1 < crew.started ? threads - 1 : crew.started;
    for (int i = 0; i < crew.places; i++)
        pthread_cond_signal(&crew.wanted);
    pthread_mutex_unlock(&crew.mutex);
    work(loop, 0);
    pthread_mutex_lock(&crew.mutex);
    crew.places = 0;
    pthread_mutex_unlock(&crew.mutex);
    spin_until(&crew.inside, false);
    pthread_mutex_lock(&crew.mutex);
    while (crew.inside)
        pthread_cond_wait(&crew.left, &crew.mutex);
    pthread_mutex_unlock(&crew.mutex);
}

static void *work_once(void *argument)
{
    const struct worker *worker = argument;
    work(worker->loop, worker->number);
    return NULL;
}

static void run_with_own(struct loop *loop, int threads)
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

void parallel_for(int threads, size_t count, parallel_item *item, void *context)
{
    struct loop loop = {.item = item, .context = context, .count = count};
    if (threads > 0 && (size_t)threads > count)
        threads = (int)count;
    if (threads <= 1) {
        work(&loop, 0);
    } else if (!atomic_exchange(&crew.taken, true)) {
        run_with_crew(&loop, threads);
        atomic_store(&crew.taken, false);
    } else {
        run_with_own(&loop, threads);
    }
}
