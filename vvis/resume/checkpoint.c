#include "vvis/resume/checkpoint.h"

#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "common/core/clock.h"
#include "common/core/memory.h"

/* Writing may take this part of the time at most. */
#define WRITE_SHARE 0.05

/* Before the matrices of a part stand the two of the whole work. */
enum { OF_ALL = 2 };

/* The chains of a thread at its last charge, in a line of the cache of its own. */
struct charged {
    alignas(64) int64_t chains;
};

struct rounds {
    const struct env *env;
    struct rounds_file file;
    unsigned char key[SHA256_SIZE]; /* of file.key, once it is needed */
    bool has_key;
    const volatile sig_atomic_t *stop;
    struct state_matrix matrices[OF_ALL + ROUNDS_MATRICES];
    size_t matrix_count;
    size_t part;
    struct bit_rows costs;   /* a number a cluster, in one row */
    struct bit_rows fresh;   /* the same, a row a thread: what is not yet in `costs` */
    const int *clusters;     /* of the part */
    struct charged *charged; /* one a thread */
    struct bytes resumed;    /* the file, until the part that it was in begins */
    struct state_head head;
    double next;
    bool stopped, kept, lost;
};

static enum status refuse(struct rounds *rounds, enum diag_code code, const char *why)
{
    const struct diag_where where = {.file = rounds->file.path};
    bytes_free(&rounds->resumed);
    return diag_report(rounds->env->diag, code, &where, "%s; starting over", why);
}

/* Most runs end before they need it. */
static const unsigned char *key_of(struct rounds *rounds)
{
    if (!rounds->has_key)
        vvis_key(&rounds->file.key, rounds->key);
    rounds->has_key = true;
    return rounds->key;
}

/* Leaves the bytes in rounds->resumed when they are of this work. */
static void load(struct rounds *rounds)
{
    const struct env *env = rounds->env;
    const char *path = rounds->file.path;
    struct bytes *bytes = &rounds->resumed;
    if (env->fs->ops->kind(env->fs, path) == FS_ABSENT)
        (void)refuse(rounds, DIAG_VIS_CHECKPOINT_ABSENT, "no interrupted run left one");
    else if (fs_load(env->fs, env->diag, path, bytes) != STATUS_OK ||
             !state_read_head(bytes->data, bytes->size, &rounds->head))
        (void)refuse(rounds, DIAG_VIS_CHECKPOINT_DAMAGED, "checksum mismatch");
    else if (memcmp(rounds->head.key, key_of(rounds), SHA256_SIZE) != 0)
        (void)refuse(rounds, DIAG_VIS_CHECKPOINT_OTHER,
                     "different portals, options or program version");
    else if (!state_decode(bytes->data, bytes->size, rounds->matrices, OF_ALL, false))
        (void)refuse(rounds, DIAG_VIS_CHECKPOINT_DAMAGED, "unexpected contents");
}

static double now(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

struct rounds *rounds_new(const struct env *env, const struct rounds_file *file,
                          const volatile sig_atomic_t *stop, struct bit_rows *pvs, int clusters)
{
    size_t count = (size_t)clusters;
    struct rounds *rounds = memory_zalloc(1, sizeof *rounds);
    *rounds = (struct rounds){.env = env, .file = *file, .stop = stop};
    rounds->costs = bit_rows_new(1, 64 * count);
    rounds->fresh = bit_rows_new((size_t)env->threads, 64 * count);
    rounds->charged = memory_aligned((size_t)env->threads, sizeof *rounds->charged);
    rounds->matrices[0] = (struct state_matrix){pvs, count, count};
    rounds->matrices[1] = (struct state_matrix){&rounds->costs, 1, 64 * count};
    rounds->next = now() + file->seconds;
    if (file->path && file->resume)
        load(rounds);
    return rounds;
}

void rounds_free(struct rounds *rounds)
{
    if (!rounds)
        return;
    bytes_free(&rounds->resumed);
    memory_free(rounds->costs.data);
    memory_free(rounds->fresh.data);
    memory_free(rounds->charged);
    memory_free(rounds);
}

size_t rounds_first_part(struct rounds *rounds, size_t parts)
{
    if (!rounds->resumed.size)
        return 0;
    if (rounds->head.part < parts)
        return (size_t)rounds->head.part;
    (void)refuse(rounds, DIAG_VIS_CHECKPOINT_DAMAGED, "invalid component number");
    return 0;
}

void rounds_part(struct rounds *rounds, size_t part, const int *clusters)
{
    rounds->part = part;
    rounds->clusters = clusters;
    memset(rounds->charged, 0, (size_t)rounds->env->threads * sizeof *rounds->charged);
}

size_t rounds_begin(struct rounds *rounds, const struct state_matrix *matrices, size_t count)
{
    if (!rounds)
        return 0;
    size_t done = 0;
    memcpy(rounds->matrices + OF_ALL, matrices, count * sizeof *matrices);
    rounds->matrix_count = OF_ALL + count;
    struct bytes *bytes = &rounds->resumed;
    if (bytes->size && rounds->head.part == rounds->part) {
        if (state_decode(bytes->data, bytes->size, rounds->matrices, rounds->matrix_count, true))
            done = (size_t)rounds->head.done;
        else
            (void)refuse(rounds, DIAG_VIS_CHECKPOINT_DAMAGED, "unexpected contents");
    }
    bytes_free(bytes);
    return done;
}

static void settle_costs(struct rounds *rounds)
{
    for (int i = 0; i < rounds->env->threads; i++) {
        uint64_t *fresh = bit_row(&rounds->fresh, (size_t)i);
        for (size_t k = 0; k < rounds->costs.words; k++)
            rounds->costs.data[k] += fresh[k];
        memset(fresh, 0, rounds->costs.words * sizeof *fresh);
    }
}

static void save(struct rounds *rounds, size_t done)
{
    settle_costs(rounds);
    const struct env *env = rounds->env;
    struct state_head head = {.part = rounds->part, .done = done};
    memcpy(head.key, key_of(rounds), sizeof head.key);
    struct bytes bytes = {0};
    double before = now();
    state_encode(&head, rounds->matrices, rounds->matrix_count, &bytes);
    int error = env->fs->ops->write(env->fs, rounds->file.path, bytes.data, bytes.size);
    bytes_free(&bytes);
    if (error) {
        const struct diag_where where = {.file = rounds->file.path};
        (void)diag_report(env->diag, DIAG_VIS_CHECKPOINT_LOST, &where, "%s", strerror(error));
        rounds->lost = true;
        return;
    }
    rounds->kept = true;
    double after = now(), pause = (after - before) / WRITE_SHARE;
    rounds->next = after + (rounds->file.seconds > 0 ? fmax(rounds->file.seconds, pause) : 0);
}

bool rounds_go_on(struct rounds *rounds, size_t done)
{
    if (!rounds)
        return true;
    rounds->stopped = rounds->stop && *rounds->stop;
    if (rounds->file.path && !rounds->lost && (rounds->stopped || now() >= rounds->next))
        save(rounds, done);
    return !rounds->stopped;
}

bool rounds_stopped(const struct rounds *rounds)
{
    return rounds && rounds->stopped;
}

bool rounds_kept(const struct rounds *rounds)
{
    return rounds && rounds->kept && !rounds->lost;
}

void rounds_cost(struct rounds *rounds, int thread, int64_t chains, int a, int b)
{
    if (!rounds)
        return;
    uint64_t fresh_chains = (uint64_t)(chains - rounds->charged[thread].chains);
    rounds->charged[thread].chains = chains;
    uint64_t *fresh = bit_row(&rounds->fresh, (size_t)thread);
    fresh[rounds->clusters[a]] += fresh_chains;
    if (a != b)
        fresh[rounds->clusters[b]] += fresh_chains;
}

uint64_t *rounds_costs(struct rounds *rounds)
{
    settle_costs(rounds);
    return rounds->costs.data;
}
