#include "common/resume/resume_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/resume/fs_trace.h"

/* Maximum share of the time that writing may take. */
#define WRITE_SHARE 0.05

/* Work of less time is done again rather than stored. */
#define WORTH_SECONDS 5.0

enum { REASON = 512 };

static double seconds_now(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

void resume_file_begin(struct resume_file *file, const struct env *env, const char *path,
                       double seconds)
{
    double now = seconds_now();
    *file = (struct resume_file){.env = env, .path = path, .seconds = seconds, .start = now};
    file->next = now + seconds;
}

void resume_file_refuse(const struct resume_file *file, enum diag_code code, const char *why)
{
    const struct diag_where where = {.file = file->path};
    (void)diag_report(file->env->diag, code, &where, "%s; starting over", why);
}

bool resume_file_read(const struct resume_file *file, struct bytes *out)
{
    struct fs *fs = fs_plain(file->env->fs);
    if (fs->ops->kind(fs, file->path) == FS_ABSENT) {
        resume_file_refuse(file, DIAG_CHECKPOINT_ABSENT, "no interrupted run left one");
        return false;
    }
    int error = fs->ops->read(fs, file->path, out);
    if (error)
        resume_file_refuse(file, DIAG_CHECKPOINT_DAMAGED, str_error(error).text);
    return !error;
}

bool resume_file_is_due(const struct resume_file *file)
{
    return file->path && !file->failed && seconds_now() >= file->next;
}

bool resume_file_is_worth(const struct resume_file *file)
{
    return file->path && !file->failed &&
           seconds_now() - file->start >= portable_fmin(file->seconds, WORTH_SECONDS);
}

void resume_file_write(struct resume_file *file, resume_encode *encode, void *context)
{
    struct fs *fs = fs_plain(file->env->fs);
    struct bytes bytes = {0};
    double before = seconds_now();
    encode(context, &bytes);
    int error = fs->ops->write(fs, file->path, bytes.data, bytes.size);
    bytes_free(&bytes);
    if (error) {
        const struct diag_where where = {.file = file->path};
        (void)diag_report(file->env->diag, DIAG_CHECKPOINT_LOST, &where, "%s",
                          str_error(error).text);
        file->failed = true;
        return;
    }
    file->written = true;
    file->start = seconds_now();
    double pause = (file->start - before) / WRITE_SHARE;
    file->next = file->start + (file->seconds > 0 ? portable_fmax(file->seconds, pause) : 0);
}

bool resume_file_exists(const struct resume_file *file)
{
    struct fs *fs = fs_plain(file->env->fs);
    return file->path && fs->ops->kind(fs, file->path) == FS_FILE;
}

void resume_file_remove(const struct resume_file *file)
{
    struct fs *fs = fs_plain(file->env->fs);
    if (resume_file_exists(file))
        (void)fs->ops->remove(fs, file->path);
}

/* The start of a file. The hash is of the key and of all that follows. */
struct file_start {
    struct resume_seal seal;
    unsigned char hash[SHA256_SIZE];
};

static void hash_file(const unsigned char key[SHA256_SIZE], const void *rest, size_t size,
                      unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, key, SHA256_SIZE);
    sha256_add(&hash, rest, size);
    sha256_end(&hash, out);
}

void resume_seal_begin(struct fs *trace, struct bytes *out)
{
    bytes_fill(out, 0, sizeof(struct file_start));
    fs_trace_write(trace, out);
}

void resume_seal_end(const struct resume_seal *seal, struct bytes *out, size_t from)
{
    struct file_start start = {.seal = *seal};
    size_t rest = from + sizeof start;
    hash_file(seal->key, out->data + rest, out->size - rest, start.hash);
    memcpy(out->data + from, &start, sizeof start);
}

static bool refuse(const struct resume_file *file, enum diag_code code, const char *why)
{
    resume_file_refuse(file, code, why);
    return false;
}

static bool is_whole(const struct resume_seal *seal, struct byte_reader *from,
                     struct file_start *out)
{
    unsigned char hash[SHA256_SIZE];
    const unsigned char *found = read_block(from, sizeof *out);
    if (!found)
        return false;
    memcpy(out, found, sizeof *out);
    hash_file(out->seal.key, from->data + from->at, from->size - from->at, hash);
    return out->seal.magic == seal->magic && memcmp(out->hash, hash, sizeof hash) == 0;
}

bool resume_file_open(const struct resume_file *file, const struct resume_seal *seal,
                      struct fs *trace, const struct bytes *bytes, struct byte_reader *rest)
{
    struct file_start start;
    char reason[REASON], *changed = NULL;
    *rest = byte_reader(bytes->data, bytes->size);
    if (!is_whole(seal, rest, &start))
        return refuse(file, DIAG_CHECKPOINT_DAMAGED, "checksum mismatch");
    if (memcmp(start.seal.key, seal->key, SHA256_SIZE) != 0)
        return refuse(file, DIAG_CHECKPOINT_OTHER, "different options, source or program version");
    switch (fs_trace_ask_again(trace, rest, &changed)) {
    case FS_TRACE_SAME:
        return true;
    case FS_TRACE_DAMAGED:
        return refuse(file, DIAG_CHECKPOINT_DAMAGED, "unexpected contents");
    case FS_TRACE_CHANGED:
        break;
    }
    snprintf(reason, sizeof reason, "%s has changed", changed);
    memory_free(changed);
    return refuse(file, DIAG_CHECKPOINT_OTHER, reason);
}
