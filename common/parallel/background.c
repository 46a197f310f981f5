#include "common/parallel/background.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/core/memory.h"

struct background_task {
    background_step *step;
    void *context;
};

/* One task per process, like the thread pool of the parallel loops. */
static struct {
    pthread_mutex_t mutex; /* held during a step */
    struct background_task *task;
    atomic_bool has_task; /* read without the mutex */
} shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void set_task(struct background_task *task)
{
    shared.task = task;
    atomic_store(&shared.has_task, task != NULL);
}

/* Call with the mutex held. */
static void do_step(void)
{
    if (!shared.task->step(shared.task->context))
        set_task(NULL);
}

struct background_task *background_begin(int threads, background_step *step, void *context)
{
    struct background_task *task = memory_zalloc(1, sizeof *task);
    *task = (struct background_task){step, context};
    pthread_mutex_lock(&shared.mutex);
    bool waits = threads > 1 && !shared.task;
    if (waits)
        set_task(task);
    pthread_mutex_unlock(&shared.mutex);
    while (!waits && step(context))
        continue;
    return task;
}

void background_finish(struct background_task *task)
{
    if (!task)
        return;
    pthread_mutex_lock(&shared.mutex);
    while (shared.task == task)
        do_step();
    pthread_mutex_unlock(&shared.mutex);
    memory_free(task);
}

void background_cancel(struct background_task *task)
{
    if (!task)
        return;
    pthread_mutex_lock(&shared.mutex);
    if (shared.task == task)
        set_task(NULL);
    pthread_mutex_unlock(&shared.mutex);
    memory_free(task);
}

bool background_run_step(void)
{
    if (!atomic_load(&shared.has_task) || pthread_mutex_trylock(&shared.mutex) != 0)
        return false;
    bool has_task = shared.task != NULL;
    if (has_task)
        do_step();
    pthread_mutex_unlock(&shared.mutex);
    return has_task;
}
