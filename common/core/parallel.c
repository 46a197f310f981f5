#include "common/core/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "common/core/memory.h"

/* Threads live for one loop. That costs some ten microseconds each, but none of them waits
 * spinning while the program does what cannot be shared out, as those of OpenMP do: on a farm that
 * runs a job a processor, time that is waited away is another job's. */

struct loop {
    parallel_item *item;
    void *context;
    size_t count;
    atomic_size_t next;
};

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

static void *work(void *argument)
{
    const struct worker *worker = argument;
    struct loop *loop = worker->loop;
    for (size_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->count;)
        loop->item(loop->context, i, worker->number);
    return NULL;
}

void parallel_for(int threads, size_t count, parallel_item *item, void *context)
{
    struct loop loop = {.item = item, .context = context, .count = count};
    size_t wanted = threads > 1 ? (size_t)threads : 1, started = 1;
    if (wanted > count)
        wanted = count > 0 ? count : 1;
    struct worker *workers = memory_zalloc(wanted, sizeof *workers);
    for (size_t i = 0; i < wanted; i++)
        workers[i] = (struct worker){.loop = &loop, .number = (int)i};
    /* Where the system gives no more threads, those that there are do it all. */
    while (started < wanted &&
           pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
        started++;
    work(&workers[0]);
    for (size_t i = 1; i < started; i++)
        (void)pthread_join(workers[i].thread, NULL);
    memory_free(workers);
}
