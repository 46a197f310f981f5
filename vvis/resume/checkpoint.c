#include "vvis/resume/checkpoint.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/farm/farm.h"

/* "BWVISCP1"; another number in the wrong byte order. */
#define MAGIC UINT64_C(0x3150435349565742)

/* The matrices of the whole map come before those of a component. */
enum { GLOBAL_MATRICES = 2 };

/* How far a run has come: the component in progress, and what is done of it. */
struct position {
    uint64_t component, done;
};

struct checkpoint {
    const struct env *env;
    struct checkpoint_file file;
    struct resume_file stored;
    unsigned char key[SHA256_SIZE]; /* of file.run and file.key, computed when needed */
    bool has_key;
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

static void ignore_file(struct checkpoint *checkpoint, enum diag_code code, const char *why)
{
    bytes_free(&checkpoint->resumed);
    resume_file_refuse(&checkpoint->stored, code, why);
}

/* Most runs end before they need it. */
static const unsigned char *checkpoint_key(struct checkpoint *checkpoint)
{
    unsigned char map[SHA256_SIZE];
    struct sha256 hash;
    if (checkpoint->has_key)
        return checkpoint->key;
    cache_key(&checkpoint->file.key, map);
    sha256_begin(&hash);
    sha256_add(&hash, checkpoint->file.run, SHA256_SIZE);
    sha256_add(&hash, map, sizeof map);
    sha256_end(&hash, checkpoint->key);
    checkpoint->has_key = true;
    return checkpoint->key;
}

static struct resume_seal seal_of(struct checkpoint *checkpoint)
{
    struct resume_seal seal = {.magic = MAGIC};
    memcpy(seal.key, checkpoint_key(checkpoint), sizeof seal.key);
    return seal;
}

/* Sets checkpoint->resumed to what follows the start of the file, if it belongs to this map. What
 * vvis reads is part of the key, so the file has no questions. */
static void open_file(struct checkpoint *checkpoint)
{
    struct bytes file = {0};
    struct byte_reader rest;
    if (!resume_file_read(&checkpoint->stored, &file))
        return;
    const struct resume_seal seal = seal_of(checkpoint);
    if (resume_file_open(&checkpoint->stored, &seal, NULL, &file, &rest))
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

struct checkpoint *checkpoint_new(const struct env *env, const struct checkpoint_file *file,
                                  struct bit_rows *pvs, int clusters)
{
    size_t count = (size_t)clusters;
    struct checkpoint *checkpoint = memory_zalloc(1, sizeof *checkpoint);
    *checkpoint = (struct checkpoint){.env = env, .file = *file};
    checkpoint->costs = bit_rows_new(1, 64 * count);
    checkpoint->matrices[0] = (struct bit_matrix){pvs, count, count};
    checkpoint->matrices[1] = (struct bit_matrix){&checkpoint->costs, 1, 64 * count};
    resume_file_begin(&checkpoint->stored, env, file->path, file->seconds);
    if (file->resume)
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
    const struct resume_seal seal = seal_of(checkpoint);
    size_t from = out->size;
    resume_seal_begin(NULL, out);
    bytes_u64(out, checkpoint->component);
    bytes_u64(out, checkpoint->done);
    bit_matrices_encode(checkpoint->matrices, checkpoint->matrix_count, out);
    resume_seal_end(&seal, out, from);
}

static void save(struct checkpoint *checkpoint, size_t done)
{
    checkpoint->done = done;
    resume_file_write(&checkpoint->stored, encode, checkpoint);
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

bool checkpoint_written(const struct checkpoint *checkpoint)
{
    return checkpoint && checkpoint->stored.written && !checkpoint->stored.failed;
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
