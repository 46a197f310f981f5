#include "common/core/aside.h"

#include <pthread.h>
#include <stdbool.h>

#include "common/core/memory.h"

struct aside {
    aside_work *work;
    void *context;
    pthread_t thread;
    bool is_on;
};

static void *run(void *argument)
{
    const struct aside *aside = argument;
    aside->work(aside->context);
    return NULL;
}

struct aside *aside_begin(int threads, aside_work *work, void *context)
{
    struct aside *aside = memory_zalloc(1, sizeof *aside);
    aside->work = work;
    aside->context = context;
    if (threads > 1)
        aside->is_on = pthread_create(&aside->thread, NULL, run, aside) == 0;
    if (!aside->is_on)
        work(context);
    return aside;
}

void aside_end(struct aside *aside)
{
    if (aside && aside->is_on)
        (void)pthread_join(aside->thread, NULL);
    memory_free(aside);
}
