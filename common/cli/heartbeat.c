#include "common/cli/heartbeat.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "common/cli/signals.h"
#include "common/core/memory.h"

struct heartbeat {
    heartbeat_call *call;
    void *context;
    double seconds;
    bool ends;
    pthread_mutex_t lock; /* of `ends` */
    pthread_cond_t ended;
    pthread_t thread;
    clockid_t clock; /* of waits: that of the time of day where there is no other */
};

/* Returns true when the end came first. */
static bool wait_or_end(struct heartbeat *heartbeat)
{
    struct timespec until;
    clock_gettime(heartbeat->clock, &until);
    double fraction = (double)until.tv_nsec * 1e-9 + heartbeat->seconds;
    until.tv_sec += (time_t)fraction;
    until.tv_nsec = (int)((fraction - (double)(time_t)fraction) * 1e9);
    int error = 0;
    pthread_mutex_lock(&heartbeat->lock);
    while (!heartbeat->ends && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&heartbeat->ended, &heartbeat->lock, &until);
    bool ends = heartbeat->ends;
    pthread_mutex_unlock(&heartbeat->lock);
    return ends;
}

static void *run(void *context)
{
    struct heartbeat *heartbeat = context;
    while (!wait_or_end(heartbeat))
        heartbeat->seconds = heartbeat->call(heartbeat->context);
    return NULL;
}

static void release(struct heartbeat *heartbeat)
{
    pthread_cond_destroy(&heartbeat->ended);
    pthread_mutex_destroy(&heartbeat->lock);
    memory_free(heartbeat);
}

struct heartbeat *heartbeat_start(double seconds, heartbeat_call *call, void *context)
{
    struct heartbeat *heartbeat = memory_zalloc(1, sizeof *heartbeat);
    *heartbeat = (struct heartbeat){.call = call, .context = context, .seconds = seconds};
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    bool is_steady = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0;
    heartbeat->clock = is_steady ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    pthread_cond_init(&heartbeat->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&heartbeat->lock, NULL);
    if (signals_other_thread(&heartbeat->thread, run, heartbeat) == 0)
        return heartbeat;
    release(heartbeat);
    return NULL;
}

void heartbeat_stop(struct heartbeat *heartbeat)
{
    if (!heartbeat)
        return;
    pthread_mutex_lock(&heartbeat->lock);
    heartbeat->ends = true;
    pthread_cond_signal(&heartbeat->ended);
    pthread_mutex_unlock(&heartbeat->lock);
    pthread_join(heartbeat->thread, NULL);
    release(heartbeat);
}
