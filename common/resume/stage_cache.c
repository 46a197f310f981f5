#include "common/resume/stage_cache.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/diag/diag_bytes.h"

/* Sets of answers that are kept, the newest first: a map whose files come and go between two
 * versions has few. Of a server, which sees what is asked for, fewer are looked at: the results of
 * all of them are fetched. */
enum { SETS = 16, WATCHED_SETS = 4, KIND = 64 };

/* The most bytes of a list of sets: a map that reads ten thousand files has a megabyte. */
#define INPUTS_MAX ((uint64_t)16 << 20)
/* The most bytes of files that are hashed to find a result. */
#define ASKED_MAX ((uint64_t)4 << 30)
/* The most bytes of results that wait for a choice. */
#define WAITING_MAX ((uint64_t)1 << 30)

static bool asks(const struct stage_cache *stage)
{
    return stage->trace || stage->view.write;
}

static void kind_of_inputs(const struct stage_cache *stage, char out[KIND])
{
    snprintf(out, KIND, "%s-inputs", stage->stage);
}

/* Appends questions and answers so far. */
static void append_set(const struct stage_cache *stage, struct bytes *out)
{
    if (stage->view.write)
        stage->view.write(stage->view.context, out);
    if (stage->trace)
        fs_trace_write(stage->trace, out);
}

static struct cache_key key_of(const struct stage_cache *stage, const void *set, size_t size)
{
    struct cache_key key = {.kind = stage->stage, .max = stage->max_result};
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, stage->key, sizeof stage->key);
    sha256_add(&hash, set, size);
    sha256_end(&hash, key.hash);
    return key;
}

/* Of the list of sets; `kind` has its name. */
static struct cache_key inputs_of(const struct stage_cache *stage, char kind[KIND])
{
    struct cache_key key = {.kind = kind, .max = INPUTS_MAX};
    kind_of_inputs(stage, kind);
    memcpy(key.hash, stage->key, sizeof key.hash);
    return key;
}

void stage_cache_refuse_question(struct stage_cache *stage, const char *path)
{
    char kind[KIND];
    const struct cache_key key = inputs_of(stage, kind);
    cache_refuse_question(stage->cache, &key, path);
}

/* A question that the run has asked itself is none that somebody else has chosen. */
static bool may_ask(void *context, const struct fs_trace_question *question)
{
    struct stage_cache *stage = context;
    if (fs_trace_has_asked(stage->trace, question->text) ||
        (stage->may_ask && stage->may_ask(stage->may_ask_context, question)))
        return true;
    stage_cache_refuse_question(stage, question->path);
    return false;
}

uint64_t stage_cache_asked_max(void)
{
    return ASKED_MAX;
}

static struct fs *new_asked(struct stage_cache *stage)
{
    if (!stage->trace)
        return NULL;
    struct fs *asked = fs_trace_new(stage->asked);
    fs_trace_set_answer(asked, stage->answer, stage->answer_context);
    fs_trace_set_scope(asked, &(struct fs_trace_scope){may_ask, stage, ASKED_MAX});
    return asked;
}

/* A set, with the result that it names, if that is there already. */
struct offer {
    const unsigned char *set;
    size_t size;
    struct cache_key key;
    struct bytes result;
    bool has_result;
};

/* `asked` notes the answers, so that none is found twice. */
static bool set_fits(const struct stage_cache *stage, struct fs *asked, const struct offer *offer)
{
    struct byte_reader from = byte_reader(offer->set, offer->size);
    char *changed = NULL;
    if (env_stopped(stage->env))
        return false;
    if (stage->view.write && !stage->view.fits(stage->view.context, &from))
        return false;
    bool fits = !stage->trace || fs_trace_ask_again(asked, &from, &changed) == FS_TRACE_SAME;
    memory_free(changed);
    return fits && !from.failed && from.at == from.size;
}

/* Returns the number of sets, or 0 when these are none. */
static size_t read_offers(const struct stage_cache *stage, const struct bytes *sets,
                          struct offer out[SETS])
{
    struct byte_reader from = byte_reader(sets->data, sets->size);
    uint32_t count = read_u32(&from);
    if (count > SETS)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (struct offer){.size = read_u32(&from)};
        out[i].set = read_block(&from, out[i].size);
        if (!out[i].set)
            return 0;
        out[i].key = key_of(stage, out[i].set, out[i].size);
    }
    return from.at == from.size ? count : 0;
}

/* Requests to a server must not depend on what its sets ask of files: before any of them is asked,
 * the results of all are fetched. */
static void fetch_all(const struct stage_cache *stage, size_t part, struct offer *offers,
                      size_t count)
{
    uint64_t waiting = 0;
    for (size_t i = 0; i < count; i++) {
        struct offer *offer = &offers[i];
        offer->has_result = cache_get_of(stage->cache, part, &offer->key, &offer->result);
        waiting += offer->result.size;
        if (waiting > WAITING_MAX) {
            waiting -= offer->result.size;
            bytes_free(&offer->result);
            offer->has_result = false;
        }
    }
}

/* Takes the result of the first set whose answers are the same now. */
static bool choose(struct stage_cache *stage, size_t part, struct offer *offers, size_t count)
{
    const bool is_watched = cache_is_watched(stage->cache, part);
    struct fs *asked = new_asked(stage);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        struct offer *offer = &offers[i];
        if (is_watched && !offer->has_result)
            continue;
        found = set_fits(stage, asked, offer);
        if (!found)
            continue;
        stage->found_key = offer->key;
        stage->found = offer->result;
        offer->result = (struct bytes){0};
        if (!is_watched && !cache_get_of(stage->cache, part, &offer->key, &stage->found))
            break;
        offer->has_result = true;
    }
    fs_trace_free(asked);
    return found && stage->found.size;
}

/* Puts a set in front of those of earlier runs, in one part of the cache. */
static void keep_set_in(const struct stage_cache *stage, size_t part, const struct bytes *set)
{
    struct bytes before = {0}, sets = {0};
    struct offer old[SETS] = {0};
    char kind[KIND];
    const struct cache_key inputs = inputs_of(stage, kind);
    uint32_t count = 1;
    bytes_u32(&sets, 0);
    bytes_sized_block(&sets, set);
    if (cache_get_of(stage->cache, part, &inputs, &before)) {
        size_t found = read_offers(stage, &before, old);
        for (size_t i = 0; i < found && count < SETS; i++) {
            if (old[i].size == set->size && memcmp(old[i].set, set->data, set->size) == 0)
                continue;
            if (sets.size + old[i].size + sizeof count > INPUTS_MAX)
                break;
            bytes_u32(&sets, (uint32_t)old[i].size);
            bytes_append(&sets, old[i].set, old[i].size);
            count++;
        }
    }
    store_u32(ORDER_LITTLE, sets.data, count);
    cache_put_to(stage->cache, part, &inputs, &sets);
    bytes_free(&before);
    bytes_free(&sets);
}

/* A set of the server that fits is as good as one of this run, for the folder before it. */
static void keep_found(const struct stage_cache *stage, size_t part, const struct offer *offers,
                       size_t count)
{
    for (size_t i = 0; i < count && part; i++) {
        struct bytes set = {0};
        if (memcmp(offers[i].key.hash, stage->found_key.hash, SHA256_SIZE) != 0)
            continue;
        bytes_append(&set, offers[i].set, offers[i].size);
        for (size_t k = 0; k < part; k++) {
            keep_set_in(stage, k, &set);
            cache_put_to(stage->cache, k, &stage->found_key, &stage->found);
        }
        bytes_free(&set);
        return;
    }
}

/* Looks in one part of the cache: a list of a server has what others have added since. */
static bool find_in(struct stage_cache *stage, size_t part)
{
    struct bytes sets = {0};
    struct offer offers[SETS] = {0};
    char kind[KIND];
    const struct cache_key inputs = inputs_of(stage, kind);
    const bool is_watched = cache_is_watched(stage->cache, part);
    if (!cache_get_of(stage->cache, part, &inputs, &sets))
        return false;
    size_t count = read_offers(stage, &sets, offers);
    if (!count)
        cache_refuse(stage->cache, &inputs, "it has no sets of questions");
    if (is_watched && count > WATCHED_SETS)
        count = WATCHED_SETS;
    if (is_watched)
        fetch_all(stage, part, offers, count);
    bool found = choose(stage, part, offers, count);
    if (found)
        keep_found(stage, part, offers, count);
    for (size_t i = 0; i < count; i++)
        bytes_free(&offers[i].result);
    bytes_free(&sets);
    return found;
}

static bool find_by_sets(struct stage_cache *stage)
{
    bool found = false;
    for (size_t i = 0; i < cache_parts(stage->cache) && !found; i++) {
        bytes_free(&stage->found);
        found = find_in(stage, i);
    }
    return found;
}

static bool find(struct stage_cache *stage)
{
    if (asks(stage))
        return find_by_sets(stage);
    stage->found_key = key_of(stage, NULL, 0);
    return cache_get(stage->cache, &stage->found_key, &stage->found);
}

static bool has_errors(const struct stage_cache *stage)
{
    size_t leaks = stage->may_leak ? diag_leaks(stage->messages) : 0;
    return diag_count(stage->messages, DIAG_ERROR) > leaks;
}

bool stage_cache_find(struct stage_cache *stage, struct byte_reader *rest)
{
    if (!stage->cache || !find(stage))
        return false;
    *rest = byte_reader(stage->found.data, stage->found.size);
    stage->cost_ms = read_u64(rest);
    stage->messages = diag_new(NULL, NULL);
    /* A run with an error keeps nothing. */
    if (diag_read(rest, stage->messages) && !has_errors(stage))
        return true;
    stage_cache_refuse(stage);
    return false;
}

void stage_cache_refuse(struct stage_cache *stage)
{
    cache_refuse(stage->cache, &stage->found_key, "it is no result of this stage");
}

void stage_cache_rename(struct stage_cache *stage, diag_rename *rename, void *context)
{
    struct diag *renamed = diag_renamed(stage->messages, rename, context);
    diag_set_recorder(stage->env->diag, NULL);
    diag_free(stage->messages);
    stage->messages = renamed;
}

void stage_cache_use(struct stage_cache *stage)
{
    cache_count_stage(stage->cache, stage->stage, true, (double)stage->cost_ms * 1e-3);
    progress_begin(stage->env->progress, "from the cache", 0);
    diag_report_again(stage->messages, stage->env->diag);
    progress_end(stage->env->progress);
}

void stage_cache_begin(struct stage_cache *stage)
{
    if (!stage->cache)
        return;
    cache_count_stage(stage->cache, stage->stage, false, 0);
    stage->began = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    diag_free(stage->messages);
    stage->messages = diag_new(NULL, NULL);
    diag_set_recorder(stage->env->diag, stage->messages);
}

void stage_cache_keep(struct stage_cache *stage, const struct bytes *result)
{
    struct bytes value = {0}, set = {0};
    if (!stage->cache)
        return;
    diag_set_recorder(stage->env->diag, NULL);
    const double spent = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - stage->began;
    bytes_u64(&value, spent > 0 ? (uint64_t)(spent * 1e3) : 0);
    if (env_stopped(stage->env) || has_errors(stage) || !diag_append(stage->messages, &value)) {
        bytes_free(&value);
        return;
    }
    bytes_append(&value, result->data, result->size);
    append_set(stage, &set);
    struct cache_key key = key_of(stage, set.data, set.size);
    cache_put(stage->cache, &key, &value);
    for (size_t i = 0; asks(stage) && i < cache_parts(stage->cache); i++)
        keep_set_in(stage, i, &set);
    bytes_free(&value);
    bytes_free(&set);
}

void stage_cache_end(struct stage_cache *stage)
{
    if (stage->messages)
        diag_set_recorder(stage->env->diag, NULL);
    diag_free(stage->messages);
    bytes_free(&stage->found);
    stage->messages = NULL;
}
