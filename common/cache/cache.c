#include "common/cache/cache.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "common/cache/cache_folder.h"
#include "common/cache/cache_http.h"
#include "common/cache/cache_shared.h"
#include "common/cache/cache_stats.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/cache.def"
#include "common/diag/codes/cache_keys.def"

enum { PLACE_TEXT = 256, PARTS = 2 };

/* A folder or a server. */
struct part {
    const char *place; /* NULL: there is none */
    bool is_server, read_only;
    struct cache_backend *backend;
    struct cache_shared own, *state; /* that of the run, or its own */
    char text[PLACE_TEXT];           /* of the place, for messages */
    atomic_ullong read, written;     /* bytes */
};

struct stage_counts {
    atomic_ullong hits, misses, saved_ms;
};

struct cache {
    const struct env *env;
    struct cache_options options;
    struct part parts[PARTS];
    size_t count;
    atomic_bool told_damaged, told_unsigned, told_question;
    atomic_int found, absent;
    struct stage_counts stages[CACHE_STAGES];
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

/* ---- the parts ---- */

static void add_part(struct cache *cache, const char *place)
{
    struct part *part = &cache->parts[cache->count++];
    const struct cache_options *options = &cache->options;
    part->place = place;
    part->is_server = cache_is_address(place);
    part->read_only = options->read_only || (part->is_server && options->server_read_only);
    part->state = part->is_server && options->shared ? options->shared : &part->own;
    cache_place_text(place, part->text, sizeof part->text);
    part->backend = part->is_server ? cache_http_new(cache->env, options, place, part->state)
                                    : cache_folder_new(cache->env, options, place);
}

static bool is_named(const char *place)
{
    return place && *place;
}

struct cache *cache_open(const struct env *env, const struct cache_options *options)
{
    if (!is_named(options->place) && !is_named(options->server))
        return NULL;
    struct cache *cache = memory_zalloc(1, sizeof *cache);
    cache->env = env;
    cache->options = *options;
    if (is_named(options->place))
        add_part(cache, options->place);
    if (is_named(options->server))
        add_part(cache, options->server);
    return cache;
}

size_t cache_parts(const struct cache *cache)
{
    return cache ? cache->count : 0;
}

bool cache_is_watched(const struct cache *cache, size_t part)
{
    return part < cache_parts(cache) && cache->parts[part].is_server;
}

static struct part *part_of(struct cache *cache, bool is_server)
{
    for (size_t i = 0; i < cache->count; i++)
        if (cache->parts[i].is_server == is_server)
            return &cache->parts[i];
    return NULL;
}

static bool may_put(const struct part *part)
{
    return !part->read_only && !part->state->is_lost && !part->state->takes_none;
}

/* ---- statistics ---- */

void cache_count_stage(struct cache *cache, const char *stage, bool is_hit, double cpu_seconds)
{
    int number = cache_stage_number(stage);
    if (!cache || number == CACHE_STAGES)
        return;
    struct stage_counts *counts = &cache->stages[number];
    counts->hits += is_hit;
    counts->misses += !is_hit;
    if (is_hit && cpu_seconds > 0 && cpu_seconds < 1e9)
        counts->saved_ms += (unsigned long long)(cpu_seconds * 1e3);
}

static struct cache_bytes_stats bytes_of(const struct part *part)
{
    return part ? (struct cache_bytes_stats){part->read, part->written}
                : (struct cache_bytes_stats){0, 0};
}

/* That statistics are missing is no reason for a message. */
static void keep_stats(struct cache *cache)
{
    struct part *folder = part_of(cache, false);
    struct cache_stats stats = {
        .runs = 1, .folder = bytes_of(folder), .server = bytes_of(part_of(cache, true))};
    for (int i = 0; i < CACHE_STAGES; i++)
        stats.stages[i] = (struct cache_stage_stats){cache->stages[i].hits, cache->stages[i].misses,
                                                     cache->stages[i].saved_ms};
    const bool is_used = cache->found || cache->absent;
    if (is_used && folder && may_put(folder))
        (void)cache_stats_add(fs_plain(cache->env->fs), folder->place, &stats);
}

void cache_close(struct cache *cache)
{
    if (!cache)
        return;
    keep_stats(cache);
    for (size_t i = 0; i < cache->count; i++)
        cache->parts[i].backend->ops->close(cache->parts[i].backend);
    memory_free(cache);
}

/* ---- what goes wrong ---- */

/* Keeps what is wrong from being tried, or told, again. */
static void note_failure(const struct cache *cache, struct part *part,
                         const struct cache_answer *answer, atomic_int *lost)
{
    const struct diag_where where = {.file = part->text};
    if (answer->outcome != CACHE_FAILED && answer->outcome != CACHE_DENIED)
        return;
    *lost = true;
    if (!atomic_exchange(&part->state->is_told, 1))
        (void)diag_report(cache->env->diag,
                          answer->outcome == CACHE_DENIED ? DIAG_CACHE_DENIED : DIAG_CACHE_UNUSED,
                          &where, "%s", answer->reason);
}

static void tell_once(const struct cache *cache, const struct part *part, atomic_bool *told,
                      int code, const struct cache_key *key, const char *what)
{
    char path[CACHE_PATH_SIZE];
    const struct diag_where where = {.file = part->text};
    cache_entry_path(key, path);
    if (!atomic_exchange(told, true))
        (void)diag_report(cache->env->diag, code, &where, "%s%s%s", path, *what ? ": " : "", what);
}

/* A value that was sealed is refused by its content: whichever part had it. */
void cache_refuse(struct cache *cache, const struct cache_key *key, const char *why)
{
    tell_once(cache, &cache->parts[cache->count - 1], &cache->told_damaged, DIAG_CACHE_DAMAGED, key,
              why);
}

void cache_refuse_question(struct cache *cache, const struct cache_key *key, const char *path)
{
    /* In a folder of one's own these are of maps elsewhere, with paths that mean nothing here. */
    const struct part *server = part_of(cache, true);
    if (server)
        tell_once(cache, server, &cache->told_question, DIAG_CACHE_QUESTION, key, path);
}

/* ---- values ---- */

/* Appends the value of an entry that a part has. */
static bool open_entry(struct cache *cache, const struct part *part, const struct cache_key *key,
                       struct cache_entry *entry, struct bytes *out)
{
    enum cache_taken taken = cache_entry_take(key, &cache->options.secret, entry, out);
    if (taken == CACHE_UNSIGNED)
        tell_once(cache, part, &cache->told_unsigned, DIAG_CACHE_UNSIGNED, key, "");
    if (taken != CACHE_BROKEN)
        return taken == CACHE_TAKEN;
    tell_once(cache, part, &cache->told_damaged, DIAG_CACHE_DAMAGED, key, "");
    if (!part->read_only && part->backend->ops->drop)
        part->backend->ops->drop(part->backend, key);
    return false;
}

static bool get_from(struct cache *cache, struct part *part, const struct cache_key *key,
                     struct cache_entry *entry, struct bytes *out)
{
    struct cache_backend *backend = part->backend;
    if (part->state->is_lost)
        return false;
    struct cache_answer answer = backend->ops->get(backend, key, entry);
    note_failure(cache, part, &answer, &part->state->is_lost);
    if (answer.outcome == CACHE_DAMAGED) {
        tell_once(cache, part, &cache->told_damaged, DIAG_CACHE_DAMAGED, key, answer.reason);
        if (!part->read_only && backend->ops->drop)
            backend->ops->drop(backend, key);
    }
    if (answer.outcome != CACHE_DONE)
        return false;
    part->read += CACHE_HEADER_SIZE + entry->stored.size;
    return open_entry(cache, part, key, entry, out);
}

static void put_entry(const struct cache *cache, struct part *part, const struct cache_key *key,
                      const struct cache_entry *entry)
{
    struct cache_backend *backend = part->backend;
    if (!may_put(part))
        return;
    struct cache_answer answer = backend->ops->put(backend, key, entry);
    note_failure(cache, part, &answer, &part->state->takes_none);
    if (answer.outcome == CACHE_DONE)
        part->written += CACHE_HEADER_SIZE + entry->stored.size;
}

static void count(struct cache *cache, const struct cache_key *key, bool is_found)
{
    cache->found += is_found && !key->is_part;
    cache->absent += !is_found && !key->is_part;
}

bool cache_get_of(struct cache *cache, size_t part, const struct cache_key *key, struct bytes *out)
{
    struct cache_entry entry = {.header = {0}};
    if (part >= cache_parts(cache))
        return false;
    bool is_found = get_from(cache, &cache->parts[part], key, &entry, out);
    count(cache, key, is_found);
    cache_entry_free(&entry);
    return is_found;
}

bool cache_get(struct cache *cache, const struct cache_key *key, struct bytes *out)
{
    bool is_found = false;
    for (size_t i = 0; i < cache_parts(cache) && !is_found; i++) {
        struct cache_entry entry = {.header = {0}};
        is_found = get_from(cache, &cache->parts[i], key, &entry, out);
        for (size_t k = 0; is_found && k < i; k++)
            put_entry(cache, &cache->parts[k], key, &entry);
        cache_entry_free(&entry);
    }
    if (cache)
        count(cache, key, is_found);
    return is_found;
}

static void put_to(struct cache *cache, size_t first, size_t end, const struct cache_key *key,
                   const struct bytes *value)
{
    struct cache_entry entry = {.header = {0}};
    bool is_wanted = false;
    for (size_t i = first; i < end; i++)
        is_wanted |= may_put(&cache->parts[i]);
    if (!is_wanted || value->size > cache_value_max(key))
        return;
    const enum cache_form form =
        key->is_part || cache->options.plain ? CACHE_PLAIN : CACHE_DEFLATED;
    cache_entry_make(key, &cache->options.secret, form, cache->env->threads, value, &entry);
    for (size_t i = first; i < end; i++)
        put_entry(cache, &cache->parts[i], key, &entry);
    cache_entry_free(&entry);
}

void cache_put(struct cache *cache, const struct cache_key *key, const struct bytes *value)
{
    put_to(cache, 0, cache_parts(cache), key, value);
}

void cache_put_to(struct cache *cache, size_t part, const struct cache_key *key,
                  const struct bytes *value)
{
    if (part < cache_parts(cache))
        put_to(cache, part, part + 1, key, value);
}

void cache_report_counts(struct cache *cache)
{
    if (!cache)
        return;
    progress_count(cache->env->progress, "cache hits", cache->found);
    progress_count(cache->env->progress, "cache misses", cache->absent);
}
