#include "common/resume/fs_trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/sha256.h"
#include "common/core/strings.h"
#include "common/io/size_limit.h"

/* No path that a run asks about is near this. */
enum { QUESTION_MAX = 8192 };
#define ASK_STEP ((size_t)1 << 20)

/* A question is a text: its kind, numbers and the path. */
enum question {
    QUESTION_READ = FS_TRACE_READ,
    QUESTION_PART = FS_TRACE_PART,
    QUESTION_KIND = FS_TRACE_KIND,
    QUESTION_LIST = FS_TRACE_LIST,
    QUESTION_SIZE = FS_TRACE_SIZE,
    QUESTION_VIEW = FS_TRACE_VIEW
};

/* The SHA-256 of what was read or listed, or a number (an errno value, a kind). */
struct answer {
    unsigned char hash[SHA256_SIZE];
};

struct note {
    char *key; /* the question */
    struct answer value;
};

struct path_note {
    char *key;
    bool value;
};

struct trace {
    struct fs base;
    struct fs *below;
    pthread_mutex_t lock; /* of all that follows */
    struct arena texts;
    struct note *notes;        /* stb_ds map */
    struct path_note *written; /* stb_ds map: paths that the run has written itself */
    bool hides;                /* reads of this thread are not noted */
    pthread_t hider;
    fs_trace_answer *answer; /* of views; or NULL */
    void *answer_context;
    struct fs_trace_names names;
    struct fs_trace_scope scope; /* of questions that are asked again */
    uint64_t hashed;             /* bytes that they have taken so far */
};

static struct trace *trace_of(struct fs *fs)
{
    return (struct trace *)fs;
}

static struct answer answer_of(const void *data, size_t size)
{
    struct answer answer = {{0}};
    sha256_of(data, size, answer.hash);
    return answer;
}

static struct answer answer_number(uint64_t number)
{
    struct answer answer = {{0}};
    memcpy(answer.hash, &number, sizeof number);
    return answer;
}

/* Of what was appended to the first `before` bytes. */
static struct answer answer_after(int error, const struct bytes *bytes, size_t before)
{
    size_t size = bytes->size - before;
    return error ? answer_number((uint64_t)error)
                 : answer_of(size ? bytes->data + before : NULL, size);
}

/* In a view, where the question is about the content of a file. */
static bool is_hidden(const struct trace *trace, const char *question)
{
    return trace->hides && (*question == QUESTION_READ || *question == QUESTION_PART) &&
           pthread_equal(trace->hider, pthread_self());
}

/* Notes the first answer. The run's own files are no input. */
static void note(struct trace *trace, const char *path, const char *question, struct answer answer)
{
    pthread_mutex_lock(&trace->lock);
    if (!is_hidden(trace, question) && shgeti(trace->written, path) < 0 &&
        shgeti(trace->notes, question) < 0)
        shput(trace->notes, arena_strdup(&trace->texts, question), answer);
    pthread_mutex_unlock(&trace->lock);
}

static void note_simple(struct trace *trace, enum question kind, const char *path,
                        struct answer answer)
{
    struct arena arena = {0};
    note(trace, path, arena_printf(&arena, "%c%s", (char)kind, path), answer);
    arena_free(&arena);
}

static void note_written(struct trace *trace, const char *path)
{
    pthread_mutex_lock(&trace->lock);
    if (shgeti(trace->written, path) < 0)
        shput(trace->written, arena_strdup(&trace->texts, path), true);
    pthread_mutex_unlock(&trace->lock);
}

static int trace_read(struct fs *fs, const char *path, struct bytes *out)
{
    struct trace *trace = trace_of(fs);
    size_t before = out->size;
    int error = trace->below->ops->read(trace->below, path, out);
    note_simple(trace, QUESTION_READ, path, answer_after(error, out, before));
    return error;
}

static void note_part(struct trace *trace, const char *path, uint64_t offset, size_t size,
                      struct answer answer)
{
    struct arena arena = {0};
    note(trace, path,
         arena_printf(&arena, "%c%llu %zu %s", (char)QUESTION_PART, (unsigned long long)offset,
                      size, path),
         answer);
    arena_free(&arena);
}

static int trace_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                           struct bytes *out)
{
    struct trace *trace = trace_of(fs);
    size_t before = out->size;
    int error = trace->below->ops->read_part(trace->below, path, offset, size, out);
    note_part(trace, path, offset, size, answer_after(error, out, before));
    return error;
}

static enum fs_kind trace_kind(struct fs *fs, const char *path)
{
    struct trace *trace = trace_of(fs);
    enum fs_kind kind = trace->below->ops->kind(trace->below, path);
    note_simple(trace, QUESTION_KIND, path, answer_number(kind));
    return kind;
}

struct listing {
    fs_visit *visit;
    void *context;
    struct sha256 hash;
};

/* Checkpoints and temporary files come and go with the runs themselves. */
static bool is_of_runs(const char *name)
{
    return str_ends_nocase(name, "checkpoint") || strstr(name, ".brushwork-");
}

static void visit_entry(void *context, const char *name, bool is_directory)
{
    struct listing *listing = context;
    const unsigned char kind = is_directory;
    if (!is_of_runs(name)) {
        sha256_add(&listing->hash, &kind, 1);
        sha256_add(&listing->hash, name, strlen(name) + 1);
    }
    listing->visit(listing->context, name, is_directory);
}

static int trace_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    struct trace *trace = trace_of(fs);
    struct listing listing = {.visit = visit, .context = context};
    struct answer answer = {{0}};
    sha256_begin(&listing.hash);
    int error = trace->below->ops->list(trace->below, path, visit_entry, &listing);
    sha256_end(&listing.hash, answer.hash);
    note_simple(trace, QUESTION_LIST, path, error ? answer_number((uint64_t)error) : answer);
    return error;
}

static int trace_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    note_written(trace_of(fs), path);
    return trace_of(fs)->below->ops->write(trace_of(fs)->below, path, data, size);
}

static int trace_write_gather(struct fs *fs, const char *path, const struct fs_gather *gather)
{
    note_written(trace_of(fs), path);
    return trace_of(fs)->below->ops->write_gather(trace_of(fs)->below, path, gather);
}

static int trace_remove(struct fs *fs, const char *path)
{
    note_written(trace_of(fs), path);
    return trace_of(fs)->below->ops->remove(trace_of(fs)->below, path);
}

static int trace_make_folder(struct fs *fs, const char *path)
{
    return trace_of(fs)->below->ops->make_folder(trace_of(fs)->below, path);
}

static int trace_size(struct fs *fs, const char *path, uint64_t *out)
{
    int error = trace_of(fs)->below->ops->size(trace_of(fs)->below, path, out);
    note_simple(trace_of(fs), QUESTION_SIZE, path,
                answer_number(error ? (uint64_t)error : UINT64_MAX - *out));
    return error;
}

static int trace_can_write(struct fs *fs, const char *path)
{
    return trace_of(fs)->below->ops->can_write(trace_of(fs)->below, path);
}

static bool trace_is_link(struct fs *fs, const char *path)
{
    return trace_of(fs)->below->ops->is_link(trace_of(fs)->below, path);
}

static int trace_hold(struct fs *fs, const char *in, const char *out, struct fs_hold **hold)
{
    return trace_of(fs)->below->ops->hold(trace_of(fs)->below, in, out, hold);
}

static struct fs *trace_plain(struct fs *fs)
{
    return fs_plain(trace_of(fs)->below);
}

/* Without what the file system below lacks, and without sources and staged files, whose reads would
 * not be seen: files are read whole. */
static const struct fs_ops *ops_over(const struct fs *below, struct fs_ops *ops)
{
    *ops = (struct fs_ops){
        .read = trace_read,
        .write = trace_write,
        .kind = trace_kind,
        .list = trace_list,
        .remove = trace_remove,
        .make_folder = trace_make_folder,
        .read_part = trace_read_part,
        .size = trace_size,
        .write_gather = below->ops->write_gather ? trace_write_gather : NULL,
        .can_write = below->ops->can_write ? trace_can_write : NULL,
        .is_link = below->ops->is_link ? trace_is_link : NULL,
        .hold = below->ops->hold ? trace_hold : NULL,
        .plain = trace_plain,
    };
    return ops;
}

struct trace_and_ops {
    struct trace trace;
    struct fs_ops ops;
};

struct fs *fs_trace_new(struct fs *below)
{
    struct trace_and_ops *all = memory_zalloc(1, sizeof *all);
    all->trace = (struct trace){.base = {ops_over(below, &all->ops)}, .below = below};
    pthread_mutex_init(&all->trace.lock, NULL);
    return &all->trace.base;
}

void fs_trace_free(struct fs *fs)
{
    if (!fs)
        return;
    struct trace *trace = trace_of(fs);
    shfree(trace->notes);
    shfree(trace->written);
    arena_free(&trace->texts);
    pthread_mutex_destroy(&trace->lock);
    memory_free(trace);
}

struct fs *fs_trace_below(struct fs *fs)
{
    return trace_of(fs)->below;
}

void fs_trace_hide_reads(struct fs *fs, bool hidden)
{
    struct trace *trace = trace_of(fs);
    pthread_mutex_lock(&trace->lock);
    trace->hides = hidden;
    trace->hider = pthread_self();
    pthread_mutex_unlock(&trace->lock);
}

void fs_trace_note_view(struct fs *fs, const char *name, const unsigned char hash[SHA256_SIZE])
{
    struct answer answer;
    memcpy(answer.hash, hash, sizeof answer.hash);
    note_simple(trace_of(fs), QUESTION_VIEW, name, answer);
}

void fs_trace_set_answer(struct fs *fs, fs_trace_answer *answer, void *context)
{
    trace_of(fs)->answer = answer;
    trace_of(fs)->answer_context = context;
}

void fs_trace_set_scope(struct fs *fs, const struct fs_trace_scope *scope)
{
    trace_of(fs)->scope = *scope;
}

bool fs_trace_has_asked(struct fs *fs, const char *question)
{
    return shgeti(trace_of(fs)->notes, question) >= 0;
}

bool fs_trace_hash_of(struct fs *fs, const char *path, unsigned char out[SHA256_SIZE])
{
    struct arena arena = {0};
    struct trace *trace = trace_of(fs);
    ptrdiff_t at = shgeti(trace->notes, arena_printf(&arena, "%c%s", QUESTION_READ, path));
    if (at >= 0)
        memcpy(out, trace->notes[at].value.hash, SHA256_SIZE);
    arena_free(&arena);
    return at >= 0;
}

void fs_trace_set_names(struct fs *fs, const struct fs_trace_names *names)
{
    trace_of(fs)->names = *names;
}

/* Returns NULL for a text that is no question. */
static const char *path_of(const char *question)
{
    const char *path = *question ? question + 1 : NULL;
    for (int numbers = *question == QUESTION_PART ? 2 : 0; path && numbers > 0; numbers--) {
        path = strchr(path, ' ');
        path = path ? path + 1 : NULL;
    }
    return path;
}

void fs_trace_each(struct fs *fs, fs_trace_visit *visit, void *context)
{
    const struct trace *trace = trace_of(fs);
    for (size_t i = 0; i < shlenu(trace->notes); i++)
        visit(context, *trace->notes[i].key, path_of(trace->notes[i].key));
}

bool fs_trace_has_read(struct fs *fs, const char *path)
{
    unsigned char hash[SHA256_SIZE];
    return fs_trace_hash_of(fs, path, hash);
}

/* The question with its path in the other form. */
static const char *rename_path(const struct trace *trace, struct arena *arena,
                               fs_trace_rename *rename, const char *question)
{
    const char *path = rename && *question != QUESTION_VIEW ? path_of(question) : NULL;
    if (!path)
        return question;
    return arena_printf(arena, "%.*s%s", (int)(path - question), question,
                        rename(trace->names.context, path));
}

static int compare_notes(const void *a, const void *b)
{
    const struct note *first = a, *second = b;
    return strcmp(first->key, second->key);
}

void fs_trace_write(struct fs *fs, struct bytes *out)
{
    struct trace *trace = trace_of(fs);
    struct arena arena = {0};
    pthread_mutex_lock(&trace->lock);
    size_t count = shlenu(trace->notes);
    struct note *sorted = memory_alloc((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        const struct note *note = &trace->notes[i];
        sorted[i].key = (char *)rename_path(trace, &arena, trace->names.shorten, note->key);
        sorted[i].value = note->value;
    }
    qsort(sorted, count, sizeof *sorted, compare_notes);
    bytes_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        bytes_append(out, &sorted[i].value, sizeof sorted[i].value);
        bytes_sized_text(out, sorted[i].key);
    }
    memory_free(sorted);
    pthread_mutex_unlock(&trace->lock);
    arena_free(&arena);
}

static void ignore_entry(void *context, const char *name, bool is_directory)
{
    (void)context;
    (void)name;
    (void)is_directory;
}

/* Hashes up to `size` bytes from `offset` on, a step at a time, so that the memory that this takes
 * does not depend on the file. False: it would be more than all questions may take. */
static bool hash_range(struct trace *trace, const char *path, uint64_t offset, uint64_t size,
                       struct answer *out)
{
    struct bytes step = {0};
    struct sha256 hash;
    int error = 0;
    bool is_within = true;
    sha256_begin(&hash);
    for (uint64_t left = size; left > 0 && !error && is_within; left -= step.size) {
        size_t take = left < ASK_STEP ? (size_t)left : ASK_STEP;
        step.size = 0;
        error =
            trace->below->ops->read_part(trace->below, path, offset + (size - left), take, &step);
        sha256_add(&hash, step.data, error ? 0 : step.size);
        trace->hashed += step.size;
        is_within = !trace->scope.bytes || trace->hashed <= trace->scope.bytes;
        if (step.size < take)
            break;
    }
    sha256_end(&hash, out->hash);
    if (error)
        *out = answer_number((uint64_t)error);
    bytes_free(&step);
    return is_within;
}

/* As the run would read the file: one that is too large for its kind fails. */
static bool ask_read(struct trace *trace, const char *path)
{
    struct answer answer = {{0}};
    uint64_t size, limit = size_limit_of(path);
    int error = trace->below->ops->size(trace->below, path, &size);
    if (!error && size > limit)
        answer = answer_number(EFBIG);
    else if (!hash_range(trace, path, 0, limit, &answer))
        return false;
    note_simple(trace, QUESTION_READ, path, answer);
    return true;
}

/* Asks for a part. */
static bool ask_part(struct trace *trace, const struct fs_trace_question *question)
{
    struct answer answer = {{0}};
    if (!hash_range(trace, question->path, question->offset, question->size, &answer))
        return false;
    note_part(trace, question->path, question->offset, (size_t)question->size, answer);
    return true;
}

static bool ask_view(struct trace *trace, const char *name)
{
    unsigned char hash[SHA256_SIZE];
    if (!trace->answer || !trace->answer(trace->answer_context, name, hash))
        return false;
    fs_trace_note_view(&trace->base, name, hash);
    return true;
}

static bool read_number(const char **text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(*text, &end, 10);
    if (**text < '0' || **text > '9' || *end != ' ' || errno || number > INT64_MAX)
        return false;
    *out = number;
    *text = end + 1;
    return true;
}

/* Returns false for a text that is no question. Nobody is asked on standard input. */
static bool parse(const char *text, struct fs_trace_question *out)
{
    *out =
        (struct fs_trace_question){.kind = (enum fs_trace_kind)(unsigned char)*text, .text = text};
    if (!*text || !strchr("rpklsv", *text))
        return false;
    out->path = text + 1;
    if (*text == QUESTION_PART &&
        (!read_number(&out->path, &out->offset) || !read_number(&out->path, &out->size)))
        return false;
    return *out->path && strcmp(out->path, "-") != 0;
}

/* Returns false when it cannot be answered. */
static bool ask(struct fs *fs, const struct fs_trace_question *question)
{
    uint64_t size;
    switch ((enum question)question->kind) {
    case QUESTION_READ:
        return ask_read(trace_of(fs), question->path);
    case QUESTION_PART:
        return ask_part(trace_of(fs), question);
    case QUESTION_KIND:
        (void)trace_kind(fs, question->path);
        return true;
    case QUESTION_LIST:
        (void)trace_list(fs, question->path, ignore_entry, NULL);
        return true;
    case QUESTION_VIEW:
        return ask_view(trace_of(fs), question->path);
    case QUESTION_SIZE:
        (void)trace_size(fs, question->path, &size);
        return true;
    }
    return false;
}

static enum fs_trace_fit ask_one(struct fs *fs, const char *text, const struct answer *answer,
                                 char **changed)
{
    struct trace *trace = trace_of(fs);
    const struct fs_trace_scope *scope = &trace->scope;
    struct fs_trace_question question;
    if (!parse(text, &question))
        return FS_TRACE_DAMAGED;
    if (scope->may_ask && !scope->may_ask(scope->context, &question))
        return FS_TRACE_DAMAGED;
    ptrdiff_t known = shgeti(trace->notes, text);
    if (known < 0 && !ask(fs, &question))
        return FS_TRACE_DAMAGED;
    known = shgeti(trace->notes, text);
    if (known >= 0 && memcmp(&trace->notes[known].value, answer, sizeof *answer) == 0)
        return FS_TRACE_SAME;
    *changed = str_copy(question.path);
    return FS_TRACE_CHANGED;
}

enum fs_trace_fit fs_trace_ask_again(struct fs *fs, struct byte_reader *from, char **changed)
{
    uint32_t count = read_u32(from);
    enum fs_trace_fit fit = FS_TRACE_SAME;
    for (uint32_t i = 0; i < count && fit == FS_TRACE_SAME; i++) {
        struct answer answer;
        const unsigned char *told = read_block(from, sizeof answer);
        uint32_t length = read_u32(from);
        const unsigned char *text = read_block(from, length);
        if (!told || !text || length > QUESTION_MAX || memchr(text, 0, length))
            return FS_TRACE_DAMAGED;
        memcpy(&answer, told, sizeof answer);
        struct arena arena = {0};
        const char *question = arena_strndup(&arena, (const char *)text, length);
        question = rename_path(trace_of(fs), &arena, trace_of(fs)->names.lengthen, question);
        fit = ask_one(fs, question, &answer, changed);
        arena_free(&arena);
    }
    return from->failed ? FS_TRACE_DAMAGED : fit;
}
