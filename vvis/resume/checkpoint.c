#include "vvis/resume/checkpoint.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/diag/codes/checkpoints.def"
#include "common/farm/farm.h"

/* The matrices of the whole map come before those of a component. */
enum { GLOBAL_MATRICES = 2 };

/* How far a run has come: the component in progress, and what is done of it. */
struct position {
    uint64_t component, done;
};

struct checkpoint {
    const struct env *env;
    struct stage_session *session;
    struct cache_key_source source;
    struct resume_file stored;
    struct bit_matrix matrices[GLOBAL_MATRICES + CHECKPOINT_MATRICES];
    size_t matrix_count;
    size_t component;
    struct bit_rows costs; /* one number per cluster, in one row */
    const int *clusters;   /* of the component */
    struct bytes resumed;  /* what the file has, until its component begins */
    struct position at;    /* of what the file has */
    size_t done;           /* that the file is written with */
    bool stopped;
};

static void ignore_file(struct checkpoint *checkpoint, int code, const char *why)
{
    bytes_free(&checkpoint->resumed);
    resume_file_refuse(&checkpoint->stored, code, why);
}

/* All that vvis reads is part of the key, so the file has no questions. */
static void add_map(void *context, struct sha256 *hash)
{
    const struct checkpoint *checkpoint = context;
    unsigned char map[SHA256_SIZE];
    cache_key(&checkpoint->source, map);
    sha256_add(hash, map, sizeof map);
}

/* Sets checkpoint->resumed to what the file has, if it belongs to this map. */
static void open_file(struct checkpoint *checkpoint)
{
    struct bytes file = {0};
    struct byte_reader rest;
    if (resume_file_open(&checkpoint->stored, &file, &rest))
        bytes_append(&checkpoint->resumed, rest.data + rest.at, rest.size - rest.at);
    bytes_free(&file);
}

/* Takes the position. Returns the reader of the matrices that follow, which has failed if there is
 * none. */
static struct byte_reader read_position(struct checkpoint *checkpoint)
{
    struct byte_reader from = byte_reader(checkpoint->resumed.data, checkpoint->resumed.size);
    checkpoint->at.component = read_u64(&from);
    checkpoint->at.done = read_u64(&from);
    return from;
}

/* Another rank gets what rank 0 has read. */
static void load_checkpoint(struct checkpoint *checkpoint)
{
    if (ranks_rank(checkpoint->env->ranks) == 0)
        open_file(checkpoint);
    ranks_broadcast(checkpoint->env->ranks, &checkpoint->resumed);
    if (!checkpoint->resumed.size)
        return;
    struct byte_reader matrices = read_position(checkpoint);
    if (matrices.failed ||
        !bit_matrices_decode_first(matrices, checkpoint->matrices, GLOBAL_MATRICES))
        ignore_file(checkpoint, DIAG_CHECKPOINT_DAMAGED, "unexpected contents");
}

struct checkpoint *checkpoint_new(const struct stage_run *run,
                                  const struct cache_key_source *source, struct bit_rows *pvs)
{
    size_t count = (size_t)source->prt->cluster_count;
    struct checkpoint *checkpoint = memory_zalloc(1, sizeof *checkpoint);
    *checkpoint = (struct checkpoint){.env = run->env, .session = run->session, .source = *source};
    checkpoint->costs = bit_rows_new(1, 64 * count);
    checkpoint->matrices[0] = (struct bit_matrix){pvs, count, count};
    checkpoint->matrices[1] = (struct bit_matrix){&checkpoint->costs, 1, 64 * count};
    stage_file_begin(run, &checkpoint->stored, add_map, checkpoint);
    if (run->session->resume.resume)
        load_checkpoint(checkpoint);
    return checkpoint;
}

void checkpoint_free(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    bytes_free(&checkpoint->resumed);
    memory_free(checkpoint->costs.data);
    memory_free(checkpoint);
}

size_t checkpoint_first_component(struct checkpoint *checkpoint, size_t components)
{
    if (!checkpoint->resumed.size)
        return 0;
    if (checkpoint->at.component < components)
        return (size_t)checkpoint->at.component;
    ignore_file(checkpoint, DIAG_CHECKPOINT_DAMAGED, "invalid component number");
    return 0;
}

void checkpoint_set_component(struct checkpoint *checkpoint, size_t component, const int *clusters)
{
    checkpoint->component = component;
    checkpoint->clusters = clusters;
}

size_t checkpoint_begin(struct checkpoint *checkpoint, const struct bit_matrix *matrices,
                        size_t count, bit_matrices_fit *fits)
{
    if (!checkpoint)
        return 0;
    size_t done = 0;
    memcpy(checkpoint->matrices + GLOBAL_MATRICES, matrices, count * sizeof *matrices);
    checkpoint->matrix_count = GLOBAL_MATRICES + count;
    if (checkpoint->resumed.size && checkpoint->at.component == checkpoint->component) {
        if (bit_matrices_decode(read_position(checkpoint), checkpoint->matrices,
                                checkpoint->matrix_count, fits))
            done = (size_t)checkpoint->at.done;
        else
            ignore_file(checkpoint, DIAG_CHECKPOINT_DAMAGED, "unexpected contents");
    }
    bytes_free(&checkpoint->resumed);
    return done;
}

static void encode(void *context, struct bytes *out)
{
    struct checkpoint *checkpoint = context;
    bytes_u64(out, checkpoint->component);
    bytes_u64(out, checkpoint->done);
    bit_matrices_encode(checkpoint->matrices, checkpoint->matrix_count, out);
}

static void save(struct checkpoint *checkpoint, size_t done)
{
    checkpoint->done = done;
    resume_file_write(&checkpoint->stored, encode, checkpoint);
    checkpoint->session->is_kept = checkpoint->stored.written && !checkpoint->stored.failed;
}

bool checkpoint_poll(struct checkpoint *checkpoint, size_t done)
{
    if (!checkpoint)
        return true;
    checkpoint->stopped = farm_stopped(checkpoint->env);
    const struct resume_file *stored = &checkpoint->stored;
    if (resume_file_is_due(stored) || (checkpoint->stopped && stored->path && !stored->failed))
        save(checkpoint, done);
    return !checkpoint->stopped;
}

bool checkpoint_stopped(const struct checkpoint *checkpoint)
{
    return checkpoint && checkpoint->stopped;
}

void checkpoint_add_cost(struct checkpoint *checkpoint, int64_t chains, int a, int b)
{
    if (!checkpoint)
        return;
    checkpoint->costs.data[checkpoint->clusters[a]] += (uint64_t)chains;
    if (a != b)
        checkpoint->costs.data[checkpoint->clusters[b]] += (uint64_t)chains;
}

uint64_t *checkpoint_costs(struct checkpoint *checkpoint)
{
    return checkpoint->costs.data;
}
