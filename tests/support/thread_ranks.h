/* Ranks that are threads of one process. */
#ifndef TESTS_THREAD_RANKS_H
#define TESTS_THREAD_RANKS_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/core/memory.h"
#include "common/farm/ranks_state.h"

/* Runs as one of the ranks. */
typedef void thread_ranks_body(void *context, struct ranks *ranks);

/* Shared by the ranks. */
struct thread_meeting {
    int count;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int here;          /* ranks that wait */
    uint64_t turns;    /* times that all have come */
    const void **data; /* of each rank */
    struct ranks_counter counter;
};

struct thread_rank {
    struct thread_meeting *meeting;
    int rank;
    pthread_t thread;
    size_t piece;
    thread_ranks_body *body;
    void *context;
};

static inline void thread_ranks_meet(struct thread_meeting *meeting)
{
    pthread_mutex_lock(&meeting->mutex);
    uint64_t turn = meeting->turns;
    if (++meeting->here == meeting->count) {
        meeting->here = 0;
        meeting->turns++;
        pthread_cond_broadcast(&meeting->changed);
    }
    while (turn == meeting->turns)
        pthread_cond_wait(&meeting->changed, &meeting->mutex);
    pthread_mutex_unlock(&meeting->mutex);
}

static inline void thread_ranks_broadcast(void *self, int root, void *data, size_t size)
{
    struct thread_rank *rank = self;
    struct thread_meeting *meeting = rank->meeting;
    meeting->data[rank->rank] = data;
    thread_ranks_meet(meeting);
    if (rank->rank != root && size)
        memcpy(data, meeting->data[root], size);
    thread_ranks_meet(meeting);
}

static inline void thread_ranks_gather(void *self, const void *mine, const size_t *sizes, void *all)
{
    struct thread_rank *rank = self;
    struct thread_meeting *meeting = rank->meeting;
    unsigned char *to = all;
    meeting->data[rank->rank] = mine;
    thread_ranks_meet(meeting);
    for (int i = 0; i < meeting->count; to += sizes[i++])
        if (sizes[i])
            memcpy(to, meeting->data[i], sizes[i]);
    thread_ranks_meet(meeting);
}

static inline uint64_t thread_ranks_take(void *self, const struct ranks_take *wanted, uint64_t *end)
{
    struct thread_rank *rank = self;
    pthread_mutex_lock(&rank->meeting->mutex);
    uint64_t first = ranks_count_off(&rank->meeting->counter, wanted, end);
    pthread_mutex_unlock(&rank->meeting->mutex);
    return first;
}

/* They are one process. */
static inline void thread_ranks_fail(void *self, int status)
{
    (void)self;
    _Exit(status);
}

static const struct ranks_ops thread_ranks_ops = {thread_ranks_broadcast, thread_ranks_gather,
                                                  thread_ranks_take, NULL, thread_ranks_fail};

static inline void *thread_ranks_run_one(void *context)
{
    struct thread_rank *rank = context;
    struct ranks *ranks = ranks_new(&thread_ranks_ops, rank, rank->rank, rank->meeting->count);
    ranks->piece = rank->piece ? rank->piece : RANKS_PIECE;
    rank->body(rank->context, ranks);
    ranks_free(ranks);
    return NULL;
}

/* Calls the body once per rank, in threads of its own, and returns when all are done. piece > 0:
 * the bytes of one call at most, in place of RANKS_PIECE. Ends the process without the threads:
 * then the ranks would wait for each other forever. */
static inline void thread_ranks_run(int count, size_t piece, thread_ranks_body *body, void *context)
{
    struct thread_meeting meeting = {.count = count,
                                     .mutex = PTHREAD_MUTEX_INITIALIZER,
                                     .changed = PTHREAD_COND_INITIALIZER,
                                     .data = memory_zalloc((size_t)count, sizeof *meeting.data)};
    struct thread_rank *all = memory_zalloc((size_t)count, sizeof *all);
    for (int i = 0; i < count; i++) {
        all[i] = (struct thread_rank){
            .meeting = &meeting, .rank = i, .piece = piece, .body = body, .context = context};
        if (pthread_create(&all[i].thread, NULL, thread_ranks_run_one, &all[i]) != 0)
            memory_refused(0);
    }
    for (int i = 0; i < count; i++)
        pthread_join(all[i].thread, NULL);
    pthread_mutex_destroy(&meeting.mutex);
    pthread_cond_destroy(&meeting.changed);
    memory_free(meeting.data);
    memory_free(all);
}

#endif
