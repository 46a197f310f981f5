#include "common/resume/resume_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/cache/cache_entry.h"
#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/checkpoints.def"
#include "common/resume/fs_trace.h"

/* Maximum share of the time that writing may take. */
#define WRITE_SHARE 0.01

/* Work of less time is done again rather than stored. */
#define WORTH_SECONDS 1.0

enum { REASON = 512 };

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
                       double seconds, const struct resume_owner *owner)
{
    double now = seconds_now();
    *file = (struct resume_file){
        .env = env, .path = path, .owner = *owner, .seconds = seconds, .start = now};
    file->next = file->next_part = now + seconds;
}

/* Numbers are in the byte order of the processor. Most runs end before they need the key. */
static const struct cache_key *key_of(struct resume_file *file)
{
    const uint16_t byte_order = 1;
    struct sha256 hash;
    if (file->key.kind)
        return &file->key;
    file->key.kind = file->owner.kind;
    sha256_begin(&hash);
    sha256_add(&hash, &byte_order, sizeof byte_order);
    sha256_add(&hash, file->owner.key, sizeof file->owner.key);
    if (file->owner.add)
        file->owner.add(file->owner.context, &hash);
    sha256_end(&hash, file->key.hash);
    return &file->key;
}

void resume_file_refuse(const struct resume_file *file, int code, const char *why)
{
    const struct diag_where where = {.file = file->path};
    (void)diag_report(file->env->diag, code, &where, "%s; starting over", why);
}

static bool read_file(const struct resume_file *file, struct bytes *out)
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

/* After its header a file begins with the questions of the run. */
static void seal_file(struct resume_file *file, resume_encode *encode, void *context,
                      struct bytes *out)
{
    bytes_fill(out, 0, CACHE_HEADER_SIZE);
    if (file->owner.trace)
        fs_trace_write(file->owner.trace, out);
    encode(context, out);
    cache_sealed_begin(key_of(file), out->data + CACHE_HEADER_SIZE, out->size - CACHE_HEADER_SIZE,
                       out->data);
}

/* Notes what the file ends with. */
static void set_end(struct resume_file *file, const struct cache_seal *seal, uint64_t end)
{
    file->end = end;
    memset(file->traced, 0, sizeof file->traced);
    memcpy(file->last, seal->seal, sizeof file->last);
}

void resume_file_write(struct resume_file *file, resume_encode *encode, void *context)
{
    struct fs *fs = fs_plain(file->env->fs);
    struct bytes bytes = {0};
    struct cache_seal seal;
    double before = seconds_now();
    seal_file(file, encode, context, &bytes);
    int error = fs->ops->write(fs, file->path, bytes.data, bytes.size);
    cache_sealed_read(bytes.data, &seal);
    set_end(file, &seal, bytes.size);
    bytes_free(&bytes);
    if (error) {
        lose(file, error);
        return;
    }
    file->next = file->next_part = next_write(file, before);
}

void resume_file_remove(const struct resume_file *file)
{
    struct fs *fs = fs_plain(file->env->fs);
    if (file->path && fs->ops->kind(fs, file->path) == FS_FILE)
        (void)fs->ops->remove(fs, file->path);
}

static bool refuse(const struct resume_file *file, int code, const char *why)
{
    resume_file_refuse(file, code, why);
    return false;
}

/* Takes the questions of the run that has written the file. */
static bool are_answered_alike(struct resume_file *file, struct byte_reader *rest)
{
    char reason[REASON], *changed = NULL;
    enum fs_trace_fit fit = FS_TRACE_SAME;
    if (file->owner.trace)
        fit = fs_trace_ask_again(file->owner.trace, rest, &changed);
    switch (fit) {
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

bool resume_file_open(struct resume_file *file, struct bytes *bytes, struct byte_reader *rest)
{
    struct cache_seal seal;
    if (!read_file(file, bytes))
        return false;
    *rest = byte_reader(bytes->data, bytes->size);
    if (!cache_sealed_take(rest, file->owner.kind, &seal))
        return refuse(file, DIAG_CHECKPOINT_DAMAGED, "checksum mismatch");
    if (memcmp(seal.key, key_of(file)->hash, sizeof seal.key) != 0)
        return refuse(file, DIAG_CHECKPOINT_OTHER, "different options, source or program version");
    if (!are_answered_alike(file, rest))
        return false;
    set_end(file, &seal, rest->size);
    return true;
}

/* ---- parts ---- */

bool resume_file_part_is_due(const struct resume_file *file)
{
    return !file->failed && seconds_now() >= file->next_part;
}

static void hash_part(const struct resume_file *file, const void *data, size_t size,
                      unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, file->last, sizeof file->last);
    sha256_add(&hash, data, size);
    sha256_end(&hash, out);
}

/* Questions since the part before, or none when there are no new ones. */
static void append_questions(struct resume_file *file, struct bytes *out)
{
    struct bytes questions = {0};
    unsigned char hash[SHA256_SIZE];
    fs_trace_write(file->owner.trace, &questions);
    sha256_of(questions.data, questions.size, hash);
    if (memcmp(hash, file->traced, sizeof hash) == 0)
        questions.size = 0;
    memcpy(file->traced, hash, sizeof hash);
    bytes_sized_block(out, &questions);
    bytes_free(&questions);
}

void resume_file_extend(struct resume_file *file, const struct bytes *part, bool is_more)
{
    struct fs *fs = fs_plain(file->env->fs);
    struct part_start start;
    struct bytes bytes = {0};
    if (file->failed || !fs->ops->extend)
        return;
    if (!is_more)
        file->part_began = seconds_now();
    bytes_fill(&bytes, 0, sizeof start);
    append_questions(file, &bytes);
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

bool resume_file_next_part(struct resume_file *file, const struct bytes *bytes,
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
    if (!questions ||
        (size && fs_trace_ask_again(file->owner.trace, &asked, &changed) != FS_TRACE_SAME)) {
        memory_free(changed);
        return false;
    }
    file->end = from.at + start.size;
    memcpy(file->last, hash, sizeof file->last);
    return true;
}
