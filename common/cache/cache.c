#include "common/cache/cache.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "common/cache/cache_entry.h"
#include "common/cache/cache_folder.h"
#include "common/cache/cache_http.h"
#include "common/core/memory.h"
#include "common/core/strings.h"

enum { PLACE_TEXT = 256 };

struct cache {
    const struct env *env;
    struct cache_options options;
    struct cache_backend *backend;
    char place[PLACE_TEXT]; /* for messages */
    atomic_bool is_lost;    /* it cannot be read: it is not asked again */
    atomic_bool takes_none; /* it cannot be written */
    atomic_bool told_lost, told_damaged, told_question;
    atomic_int found, absent;
};

struct cache_answer cache_answer(enum cache_outcome outcome, const char *format, ...)
{
    struct cache_answer answer = {.outcome = outcome};
    va_list args;
    va_start(args, format);
    vsnprintf(answer.reason, sizeof answer.reason, format, args);
    va_end(args);
    return answer;
}

bool cache_is_address(const char *place)
{
    return strstr(place, "://") != NULL;
}

void cache_place_text(const char *place, char *out, size_t size)
{
    const char *scheme = strstr(place, "://"), *host = scheme ? scheme + 3 : place;
    const char *end = host + strcspn(host, "/?#"), *at = NULL;
    for (const char *c = host; scheme && c < end; c++)
        at = *c == '@' ? c : at;
    snprintf(out, size, "%.*s%s", (int)(host - place), place, at ? at + 1 : host);
}

struct cache *cache_open(const struct env *env, const struct cache_options *options)
{
    if (!options->place || !*options->place)
        return NULL;
    struct cache *cache = memory_zalloc(1, sizeof *cache);
    cache->env = env;
    cache->options = *options;
    cache_place_text(options->place, cache->place, sizeof cache->place);
    cache->backend = cache_is_address(options->place) ? cache_http_new(env, &cache->options)
                                                      : cache_folder_new(env, &cache->options);
    return cache;
}

void cache_close(struct cache *cache)
{
    if (!cache)
        return;
    cache->backend->ops->close(cache->backend);
    memory_free(cache);
}

/* Keeps what is wrong from being tried, or told, again. */
static void note_answer(struct cache *cache, const struct cache_answer *answer, atomic_bool *lost)
{
    const struct diag_where where = {.file = cache->place};
    if (answer->outcome == CACHE_DAMAGED && !atomic_exchange(&cache->told_damaged, true))
        (void)diag_report(cache->env->diag, DIAG_CACHE_DAMAGED, &where, "%s", answer->reason);
    if (answer->outcome != CACHE_FAILED && answer->outcome != CACHE_DENIED)
        return;
    *lost = true;
    if (!atomic_exchange(&cache->told_lost, true))
        (void)diag_report(cache->env->diag,
                          answer->outcome == CACHE_DENIED ? DIAG_CACHE_DENIED : DIAG_CACHE_UNUSED,
                          &where, "%s", answer->reason);
}

static void tell_once(struct cache *cache, atomic_bool *told, enum diag_code code,
                      const struct cache_key *key, const char *what)
{
    char path[CACHE_PATH_SIZE];
    const struct diag_where where = {.file = cache->place};
    cache_entry_path(key, path);
    if (!atomic_exchange(told, true))
        (void)diag_report(cache->env->diag, code, &where, "%s: %s", path, what);
}

void cache_refuse(struct cache *cache, const struct cache_key *key, const char *why)
{
    tell_once(cache, &cache->told_damaged, DIAG_CACHE_DAMAGED, key, why);
}

bool cache_is_watched(const struct cache *cache)
{
    return cache && cache_is_address(cache->options.place);
}

void cache_refuse_question(struct cache *cache, const struct cache_key *key, const char *path)
{
    /* In a folder of one's own these are of maps elsewhere, with paths that mean nothing here. */
    if (cache_is_watched(cache))
        tell_once(cache, &cache->told_question, DIAG_CACHE_QUESTION, key, path);
}

bool cache_get(struct cache *cache, const struct cache_key *key, struct bytes *out)
{
    if (!cache || cache->is_lost)
        return false;
    struct cache_answer answer = cache->backend->ops->get(cache->backend, key, out);
    note_answer(cache, &answer, &cache->is_lost);
    bool is_found = answer.outcome == CACHE_DONE;
    cache->found += is_found;
    cache->absent += !is_found;
    return is_found;
}

void cache_put(struct cache *cache, const struct cache_key *key, const struct bytes *value)
{
    if (!cache || cache->options.read_only || value->size > cache_value_max(key) ||
        cache->is_lost || cache->takes_none)
        return;
    struct cache_answer answer = cache->backend->ops->put(cache->backend, key, value);
    note_answer(cache, &answer, &cache->takes_none);
}

void cache_report_counts(struct cache *cache)
{
    if (!cache)
        return;
    progress_count(cache->env->progress, "cache hits", cache->found);
    progress_count(cache->env->progress, "cache misses", cache->absent);
}
