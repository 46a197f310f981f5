/* Ranks over MPI.
 *
 * Threads of the program call MPI one at a time, behind a lock (MPI_THREAD_SERIALIZED): there are a
 * few calls per loop, so that more would be of no use, and all implementations have this level,
 * while with MPI_THREAD_MULTIPLE some leave out their fast transports. All calls return at once,
 * and who waits sleeps between two of them: a library of MPI spins while it waits, which on a farm
 * takes a CPU from others.
 *
 * Rank 0 has the numbers that loops hand out. Its threads answer requests between their items, and
 * a thread of its own does while they are busy with a long one: a request makes progress only while
 * MPI is called. */
#include <mpi.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/core/module.h"
#include "common/farm/mpi_module.h"

/* Requests have one tag, their answers one that the asking thread chose. */
enum { TAG_REQUEST = 1, TAG_ANSWER = 2, ANSWER_TAGS = 16384 };

/* Seconds between two looks at what is waited for: half the time waited, within these. */
#define PAUSE_MIN   50e-6
#define PAUSE_MAX   2e-3
#define PAUSE_SHARE 0.5

/* Threads of rank 0 answer requests between their items, and while they wait. */
#define SERVER_PAUSE 1e-3

struct request {
    struct ranks_take wanted;
    uint64_t tag;
};

static struct world {
    int rank, count;
    int *sizes, *starts; /* of the parts of a gather, per rank */
    MPI_Comm data, numbers;
    pthread_mutex_t lock; /* of all calls of MPI, and of the counter */
    struct ranks_counter counter;
    atomic_uint next_tag;
    pthread_t server;
    bool has_server;
    atomic_bool ends;
} the_world = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void pause_for(double seconds)
{
    seconds = seconds < PAUSE_MIN ? PAUSE_MIN : seconds;
    seconds = seconds > PAUSE_MAX ? PAUSE_MAX : seconds;
    const struct timespec time = {.tv_nsec = (long)(seconds * 1e9)};
    nanosleep(&time, NULL);
}

/* Answers the requests that have come. Locked. */
static void answer_requests(struct world *world)
{
    for (;;) {
        int is_there;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_REQUEST, world->numbers, &is_there, &status);
        if (!is_there)
            return;
        struct request request;
        MPI_Recv(&request, (int)sizeof request, MPI_BYTE, status.MPI_SOURCE, TAG_REQUEST,
                 world->numbers, MPI_STATUS_IGNORE);
        uint64_t part[2];
        part[0] = ranks_count_off(&world->counter, &request.wanted, &part[1]);
        /* so small that it never waits for its receiver */
        MPI_Send(part, (int)sizeof part, MPI_BYTE, status.MPI_SOURCE, (int)request.tag,
                 world->numbers);
    }
}

static void *serve(void *context)
{
    struct world *world = context;
    while (!atomic_load(&world->ends)) {
        pthread_mutex_lock(&world->lock);
        answer_requests(world);
        pthread_mutex_unlock(&world->lock);
        pause_for(SERVER_PAUSE);
    }
    return NULL;
}

/* Tests the request until it is complete. */
static void wait_for(struct world *world, MPI_Request *request)
{
    for (double start = now();;) {
        int is_done;
        pthread_mutex_lock(&world->lock);
        MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
        if (world->rank == 0)
            answer_requests(world);
        pthread_mutex_unlock(&world->lock);
        if (is_done)
            return;
        pause_for((now() - start) * PAUSE_SHARE);
    }
}

static void broadcast(void *self, int root, void *data, size_t size)
{
    struct world *world = self;
    MPI_Request request;
    pthread_mutex_lock(&world->lock);
    MPI_Ibcast(data, (int)size, MPI_BYTE, root, world->data, &request);
    pthread_mutex_unlock(&world->lock);
    wait_for(world, &request);
}

static void gather(void *self, const void *mine, const size_t *sizes, void *all)
{
    struct world *world = self;
    for (int i = 0, at = 0; i < world->count; at += world->sizes[i++]) {
        world->sizes[i] = (int)sizes[i];
        world->starts[i] = at;
    }
    MPI_Request request;
    pthread_mutex_lock(&world->lock);
    MPI_Iallgatherv(mine, world->sizes[world->rank], MPI_BYTE, all, world->sizes, world->starts,
                    MPI_BYTE, world->data, &request);
    pthread_mutex_unlock(&world->lock);
    wait_for(world, &request);
}

static uint64_t ask_for_numbers(struct world *world, const struct ranks_take *wanted, uint64_t *end)
{
    unsigned tag = TAG_ANSWER + atomic_fetch_add(&world->next_tag, 1) % ANSWER_TAGS;
    struct request request = {*wanted, tag};
    uint64_t part[2];
    MPI_Request answer, sent;
    pthread_mutex_lock(&world->lock);
    MPI_Irecv(part, (int)sizeof part, MPI_BYTE, 0, (int)tag, world->numbers, &answer);
    MPI_Isend(&request, (int)sizeof request, MPI_BYTE, 0, TAG_REQUEST, world->numbers, &sent);
    pthread_mutex_unlock(&world->lock);
    wait_for(world, &sent);
    wait_for(world, &answer);
    *end = part[1];
    return part[0];
}

static uint64_t take(void *self, const struct ranks_take *wanted, uint64_t *end)
{
    struct world *world = self;
    if (world->rank > 0)
        return ask_for_numbers(world, wanted, end);
    pthread_mutex_lock(&world->lock);
    uint64_t first = ranks_count_off(&world->counter, wanted, end);
    answer_requests(world);
    pthread_mutex_unlock(&world->lock);
    return first;
}

static void answer(void *self)
{
    struct world *world = self;
    if (world->rank > 0 || pthread_mutex_trylock(&world->lock) != 0)
        return;
    answer_requests(world);
    pthread_mutex_unlock(&world->lock);
}

/* The launcher ends the other processes. */
static void fail(void *self, int status)
{
    struct world *world = self;
    pthread_mutex_lock(&world->lock);
    MPI_Abort(MPI_COMM_WORLD, status);
    _Exit(status);
}

static const struct ranks_ops ops = {broadcast, gather, take, answer, fail};

/* Signals are for the program's own threads. */
static bool start_server(struct world *world)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    world->has_server = pthread_create(&world->server, NULL, serve, world) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return world->has_server;
}

static int begin(struct mpi_world *out, char *error, size_t size)
{
    struct world *world = &the_world;
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS ||
        level < MPI_THREAD_SERIALIZED) {
        (void)snprintf(error, size, "this MPI cannot be called by several threads");
        return -1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world->count);
    MPI_Comm_dup(MPI_COMM_WORLD, &world->data);
    MPI_Comm_dup(MPI_COMM_WORLD, &world->numbers);
    world->sizes = calloc(2 * (size_t)world->count, sizeof *world->sizes);
    if (!world->sizes) {
        (void)snprintf(error, size, "the system refuses memory");
        return -1;
    }
    world->starts = world->sizes + world->count;
    if (world->rank == 0 && world->count > 1 && !start_server(world)) {
        (void)snprintf(error, size, "the system refuses a thread");
        return -1;
    }
    *out = (struct mpi_world){world->rank, world->count, &ops, world};
    return 0;
}

static void end(void *self)
{
    struct world *world = self;
    atomic_store(&world->ends, true);
    if (world->has_server)
        pthread_join(world->server, NULL);
    MPI_Comm_free(&world->data);
    MPI_Comm_free(&world->numbers);
    MPI_Finalize();
    free(world->sizes);
}

static const struct mpi_functions functions = {begin, end};

MODULE_EXPORT("mpi", MPI_MODULE_ABI, &functions);
