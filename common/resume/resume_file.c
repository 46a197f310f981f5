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
#define WRITE_SHARE 0.01

/* Work of less time is done again rather than stored. */
#define WORTH_SECONDS 1.0

enum { REASON = 512 };

/* The start of a file. The hash is of the key and of the bytes that follow, `size` of them; after
 * these there may be parts. */
struct file_start {
    struct resume_seal seal;
    uint64_t size;
    unsigned char hash[SHA256_SIZE];
};

/* The start of a part. The hash is of what the file ended with before it, and of the bytes that
 * follow. */
struct part_start {
    uint64_t size;
    unsigned char hash[SHA256_SIZE];
};

static double seconds_now(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

void resume_file_begin(struct resume_file *file, const struct env *env, const char *path,
                       double seconds)
{
    double now = seconds_now();
    *file = (struct resume_file){.env = env, .path = path, .seconds = seconds, .start = now};
    file->next = file->next_part = now + seconds;
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

static void lose(struct resume_file *file, int error)
{
    const struct diag_where where = {.file = file->path};
    (void)diag_report(file->env->diag, DIAG_CHECKPOINT_LOST, &where, "%s", str_error(error).text);
    file->failed = true;
}

/* Returns when the next write may be, after one that began at `before`. */
static double next_write(struct resume_file *file, double before)
{
    file->written = true;
    file->start = seconds_now();
    double pause = (file->start - before) / WRITE_SHARE;
    return file->start + (file->seconds > 0 ? portable_fmax(file->seconds, pause) : 0);
}

/* Notes what the file ends with. */
static void set_end(struct resume_file *file, const struct bytes *bytes)
{
    struct file_start start;
    file->end = bytes->size;
    memset(file->traced, 0, sizeof file->traced);
    if (bytes->size < sizeof start)
        return;
    memcpy(&start, bytes->data, sizeof start);
    memcpy(file->last, start.hash, sizeof file->last);
}

void resume_file_write(struct resume_file *file, resume_encode *encode, void *context)
{
    struct fs *fs = fs_plain(file->env->fs);
    struct bytes bytes = {0};
    double before = seconds_now();
    encode(context, &bytes);
    int error = fs->ops->write(fs, file->path, bytes.data, bytes.size);
    set_end(file, &bytes);
    bytes_free(&bytes);
    if (error) {
        lose(file, error);
        return;
    }
    file->next = file->next_part = next_write(file, before);
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
    if (trace)
        fs_trace_write(trace, out);
}

void resume_seal_end(const struct resume_seal *seal, struct bytes *out, size_t from)
{
    struct file_start start = {.seal = *seal};
    size_t rest = from + sizeof start;
    start.size = out->size - rest;
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
    if (out->size > from->size - from->at)
        return false;
    from->size = from->at + (size_t)out->size;
    hash_file(out->seal.key, from->data + from->at, (size_t)out->size, hash);
    return out->seal.magic == seal->magic && memcmp(out->hash, hash, sizeof hash) == 0;
}

bool resume_file_open(struct resume_file *file, const struct resume_seal *seal, struct fs *trace,
                      const struct bytes *bytes, struct byte_reader *rest)
{
    struct file_start start;
    char reason[REASON], *changed = NULL;
    *rest = byte_reader(bytes->data, bytes->size);
    if (!is_whole(seal, rest, &start))
        return refuse(file, DIAG_CHECKPOINT_DAMAGED, "checksum mismatch");
    if (memcmp(start.seal.key, seal->key, SHA256_SIZE) != 0)
        return refuse(file, DIAG_CHECKPOINT_OTHER, "different options, source or program version");
    const enum fs_trace_fit fit = trace ? fs_trace_ask_again(trace, rest, &changed) : FS_TRACE_SAME;
    switch (fit) {
    case FS_TRACE_SAME:
        set_end(file, bytes);
        file->end = rest->size;
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

/* ---- parts ---- */

bool resume_file_part_is_due(const struct resume_file *file)
{
    return !file->failed && seconds_now() >= file->next_part;
}

static void hash_part(const struct resume_file *file, const void *data, size_t size,
                      unsigned char out[SHA256_SIZE])
{
    hash_file(file->last, data, size, out);
}

/* Questions since the part before, or none when there are no new ones. */
static void append_questions(struct resume_file *file, struct fs *trace, struct bytes *out)
{
    struct bytes questions = {0};
    unsigned char hash[SHA256_SIZE];
    fs_trace_write(trace, &questions);
    sha256_of(questions.data, questions.size, hash);
    if (memcmp(hash, file->traced, sizeof hash) == 0)
        questions.size = 0;
    memcpy(file->traced, hash, sizeof hash);
    bytes_sized_block(out, &questions);
    bytes_free(&questions);
}

void resume_file_extend(struct resume_file *file, struct fs *trace, const struct bytes *part,
                        bool is_more)
{
    struct fs *fs = fs_plain(file->env->fs);
    struct part_start start;
    struct bytes bytes = {0};
    if (file->failed || !fs->ops->extend)
        return;
    if (!is_more)
        file->part_began = seconds_now();
    bytes_fill(&bytes, 0, sizeof start);
    append_questions(file, trace, &bytes);
    bytes_append(&bytes, part->data, part->size);
    start.size = bytes.size - sizeof start;
    hash_part(file, bytes.data + sizeof start, (size_t)start.size, start.hash);
    memcpy(bytes.data, &start, sizeof start);
    int error = fs->ops->extend(fs, file->path, file->end, bytes.data, bytes.size);
    file->end += bytes.size;
    memcpy(file->last, start.hash, sizeof file->last);
    bytes_free(&bytes);
    if (error)
        lose(file, error);
    else
        file->next_part = next_write(file, file->part_began);
}

bool resume_file_next_part(struct resume_file *file, struct fs *trace, const struct bytes *bytes,
                           struct byte_reader *part)
{
    struct part_start start;
    unsigned char hash[SHA256_SIZE];
    struct byte_reader from = byte_reader(bytes->data, bytes->size);
    from.at = (size_t)file->end;
    const unsigned char *found = read_block(&from, sizeof start);
    if (!found)
        return false;
    memcpy(&start, found, sizeof start);
    if (start.size > from.size - from.at)
        return false;
    hash_part(file, bytes->data + from.at, (size_t)start.size, hash);
    if (memcmp(hash, start.hash, sizeof hash) != 0)
        return false;
    *part = byte_reader(bytes->data + from.at, (size_t)start.size);
    uint32_t size = read_u32(part);
    const unsigned char *questions = read_block(part, size);
    struct byte_reader asked = byte_reader(questions, questions ? size : 0);
    char *changed = NULL;
    if (!questions || (size && fs_trace_ask_again(trace, &asked, &changed) != FS_TRACE_SAME)) {
        memory_free(changed);
        return false;
    }
    file->end = from.at + start.size;
    memcpy(file->last, hash, sizeof file->last);
    return true;
}
