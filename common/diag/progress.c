#include "common/diag/progress.h"

#include <pthread.h>

#include "common/core/clock.h"
#include "common/core/memory.h"

struct progress {
    progress_listener *listener;
    void *context;
    const char *name;
    size_t done, total;
    double wall, cpu;
    pthread_mutex_t lock;
};

struct progress *progress_new(progress_listener *listener, void *context)
{
    struct progress *progress = memory_zalloc(1, sizeof *progress);
    progress->listener = listener;
    progress->context = context;
    pthread_mutex_init(&progress->lock, NULL);
    return progress;
}

void progress_free(struct progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_destroy(&progress->lock);
    memory_free(progress);
}

static void tell(struct progress *progress, const struct progress_event *event)
{
    progress->listener(progress->context, event);
}

void progress_begin(struct progress *progress, const char *name, size_t total)
{
    if (!progress)
        return;
    progress->name = name;
    progress->done = 0;
    progress->total = total;
    progress->wall = clock_seconds(CLOCK_MONOTONIC);
    progress->cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    tell(progress, &(struct progress_event){.kind = PROGRESS_BEGIN, .name = name, .total = total});
}

void progress_step(struct progress *progress)
{
    progress_steps(progress, 1);
}

/* Under the lock. */
static void set_done(struct progress *progress, size_t done)
{
    progress->done = done;
    tell(progress, &(struct progress_event){.kind = PROGRESS_STEP,
                                            .name = progress->name,
                                            .done = progress->done,
                                            .total = progress->total});
}

void progress_steps(struct progress *progress, size_t count)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    set_done(progress, progress->done + count);
    pthread_mutex_unlock(&progress->lock);
}

void progress_reached(struct progress *progress, size_t done, size_t count)
{
    if (!progress || !count)
        return;
    pthread_mutex_lock(&progress->lock);
    size_t reached = (size_t)((double)progress->total * ((double)done / (double)count));
    if (reached > progress->done)
        set_done(progress, reached);
    pthread_mutex_unlock(&progress->lock);
}

void progress_end(struct progress *progress)
{
    if (!progress)
        return;
    tell(progress, &(struct progress_event){
                       .kind = PROGRESS_END,
                       .name = progress->name,
                       .done = progress->done,
                       .total = progress->total,
                       .wall_seconds = clock_seconds(CLOCK_MONOTONIC) - progress->wall,
                       .cpu_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - progress->cpu,
                   });
}

void progress_count(struct progress *progress, const char *name, int64_t value)
{
    if (progress)
        tell(progress,
             &(struct progress_event){.kind = PROGRESS_COUNT, .name = name, .value = value});
}

void progress_size(struct progress *progress, const char *name, int64_t value)
{
    if (progress)
        tell(progress,
             &(struct progress_event){.kind = PROGRESS_SIZE, .name = name, .value = value});
}

void progress_wrote(struct progress *progress, const char *path)
{
    if (progress)
        tell(progress, &(struct progress_event){.kind = PROGRESS_FILE, .name = path});
}
