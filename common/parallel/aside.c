#include "common/parallel/aside.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/core/memory.h"

struct aside {
    aside_step *step;
    void *context;
};

/* One for the process, as the threads of parallel loops are. */
static struct {
    pthread_mutex_t mutex; /* held during a step */
    struct aside *work;
    atomic_bool has_work; /* looked at before the mutex is */
} place = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void put(struct aside *work)
{
    place.work = work;
    atomic_store(&place.has_work, work != NULL);
}

/* With the mutex. */
static void do_step(void)
{
    if (!place.work->step(place.work->context))
        put(NULL);
}

struct aside *aside_begin(int threads, aside_step *step, void *context)
{
    struct aside *aside = memory_zalloc(1, sizeof *aside);
    *aside = (struct aside){step, context};
    pthread_mutex_lock(&place.mutex);
    bool waits = threads > 1 && !place.work;
    if (waits)
        put(aside);
    pthread_mutex_unlock(&place.mutex);
    while (!waits && step(context))
        continue;
    return aside;
}

void aside_end(struct aside *aside)
{
    if (!aside)
        return;
    pthread_mutex_lock(&place.mutex);
    while (place.work == aside)
        do_step();
    pthread_mutex_unlock(&place.mutex);
    memory_free(aside);
}

void aside_drop(struct aside *aside)
{
    if (!aside)
        return;
    pthread_mutex_lock(&place.mutex);
    if (place.work == aside)
        put(NULL);
    pthread_mutex_unlock(&place.mutex);
    memory_free(aside);
}

bool aside_help(void)
{
    if (!atomic_load(&place.has_work) || pthread_mutex_trylock(&place.mutex) != 0)
        return false;
    bool has_work = place.work != NULL;
    if (has_work)
        do_step();
    pthread_mutex_unlock(&place.mutex);
    return has_work;
}
