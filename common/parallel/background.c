#include "common/parallel/background.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/core/memory.h"

struct background_task {
    background_step *step;
    void *context;
};

/* One for the process, as the threads of parallel loops are. */
static struct {
    pthread_mutex_t mutex; /* held during a step */
    struct background_task *work;
    atomic_bool has_work; /* looked at before the mutex is */
} place = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void put(struct background_task *work)
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

struct background_task *background_begin(int threads, background_step *step, void *context)
{
    struct background_task *task = memory_zalloc(1, sizeof *task);
    *task = (struct background_task){step, context};
    pthread_mutex_lock(&place.mutex);
    bool waits = threads > 1 && !place.work;
    if (waits)
        put(task);
    pthread_mutex_unlock(&place.mutex);
    while (!waits && step(context))
        continue;
    return task;
}

void background_finish(struct background_task *task)
{
    if (!task)
        return;
    pthread_mutex_lock(&place.mutex);
    while (place.work == task)
        do_step();
    pthread_mutex_unlock(&place.mutex);
    memory_free(task);
}

void background_cancel(struct background_task *task)
{
    if (!task)
        return;
    pthread_mutex_lock(&place.mutex);
    if (place.work == task)
        put(NULL);
    pthread_mutex_unlock(&place.mutex);
    memory_free(task);
}

bool background_run_step(void)
{
    if (!atomic_load(&place.has_work) || pthread_mutex_trylock(&place.mutex) != 0)
        return false;
    bool has_work = place.work != NULL;
    if (has_work)
        do_step();
    pthread_mutex_unlock(&place.mutex);
    return has_work;
}
