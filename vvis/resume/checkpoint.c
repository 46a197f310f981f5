#include "vvis/resume/checkpoint.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/farm/farm.h"

/* The matrices of the whole map come before those of a component. */
enum { GLOBAL_MATRICES = 2 };

struct checkpoint {
    const struct env *env;
    struct checkpoint_file file;
    struct resume_file stored;
    unsigned char key[SHA256_SIZE]; /* of file.run and file.key, computed when needed */
    bool has_key;
    struct checkpoint_matrix matrices[GLOBAL_MATRICES + CHECKPOINT_MATRICES];
    size_t matrix_count;
    size_t component;
    struct bit_rows costs; /* one number per cluster, in one row */
    const int *clusters;   /* of the component */
    struct bytes resumed;  /* the file, until its component begins */
    struct checkpoint_header header;
    size_t done; /* that the file is written with */
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

/* Keeps the bytes in checkpoint->resumed if they belong to this map. Another rank gets those that
 * rank 0 has read. */
static void load_checkpoint(struct checkpoint *checkpoint)
{
    struct bytes *bytes = &checkpoint->resumed;
    uint8_t is_found =
        ranks_rank(checkpoint->env->ranks) == 0 && resume_file_read(&checkpoint->stored, bytes);
    ranks_broadcast_block(checkpoint->env->ranks, &is_found, sizeof is_found);
    if (!is_found)
        return;
    ranks_broadcast(checkpoint->env->ranks, bytes);
    if (!checkpoint_read_header(bytes->data, bytes->size, &checkpoint->header))
        ignore_file(checkpoint, DIAG_CHECKPOINT_DAMAGED, "checksum mismatch");
    else if (memcmp(checkpoint->header.key, checkpoint_key(checkpoint), SHA256_SIZE) != 0)
        ignore_file(checkpoint, DIAG_CHECKPOINT_OTHER,
                    "different portals, options, source or program version");
    else if (!checkpoint_decode(bytes->data, bytes->size, checkpoint->matrices, GLOBAL_MATRICES,
                                false))
        ignore_file(checkpoint, DIAG_CHECKPOINT_DAMAGED, "unexpected contents");
}

struct checkpoint *checkpoint_new(const struct env *env, const struct checkpoint_file *file,
                                  struct bit_rows *pvs, int clusters)
{
    size_t count = (size_t)clusters;
    struct checkpoint *checkpoint = memory_zalloc(1, sizeof *checkpoint);
    *checkpoint = (struct checkpoint){.env = env, .file = *file};
    checkpoint->costs = bit_rows_new(1, 64 * count);
    checkpoint->matrices[0] = (struct checkpoint_matrix){pvs, count, count};
    checkpoint->matrices[1] = (struct checkpoint_matrix){&checkpoint->costs, 1, 64 * count};
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
    if (checkpoint->header.component < components)
        return (size_t)checkpoint->header.component;
    ignore_file(checkpoint, DIAG_CHECKPOINT_DAMAGED, "invalid component number");
    return 0;
}

void checkpoint_set_component(struct checkpoint *checkpoint, size_t component, const int *clusters)
{
    checkpoint->component = component;
    checkpoint->clusters = clusters;
}

size_t checkpoint_begin(struct checkpoint *checkpoint, const struct checkpoint_matrix *matrices,
                        size_t count, checkpoint_fits *fits)
{
    if (!checkpoint)
        return 0;
    size_t done = 0;
    memcpy(checkpoint->matrices + GLOBAL_MATRICES, matrices, count * sizeof *matrices);
    checkpoint->matrix_count = GLOBAL_MATRICES + count;
    struct bytes *bytes = &checkpoint->resumed;
    if (bytes->size && checkpoint->header.component == checkpoint->component) {
        if (checkpoint_decode_fitting(bytes->data, bytes->size, checkpoint->matrices,
                                      checkpoint->matrix_count, fits))
            done = (size_t)checkpoint->header.done;
        else
            ignore_file(checkpoint, DIAG_CHECKPOINT_DAMAGED, "unexpected contents");
    }
    bytes_free(bytes);
    return done;
}

static void encode(void *context, struct bytes *out)
{
    struct checkpoint *checkpoint = context;
    struct checkpoint_header header = {.component = checkpoint->component,
                                       .done = checkpoint->done};
    memcpy(header.key, checkpoint_key(checkpoint), sizeof header.key);
    checkpoint_encode(&header, checkpoint->matrices, checkpoint->matrix_count, out);
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
