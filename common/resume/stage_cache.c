#include "common/resume/stage_cache.h"

#include <stdio.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/diag/diag_bytes.h"

/* Sets of answers that are kept, the newest first: a map whose files come and go between two
 * versions has few. */
enum { SETS = 16, KIND = 64 };

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
    struct cache_key key = {.kind = stage->stage};
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, stage->key, sizeof stage->key);
    sha256_add(&hash, set, size);
    sha256_end(&hash, key.hash);
    return key;
}

/* `asked` notes the answers, so that none is found twice. */
static bool set_fits(const struct stage_cache *stage, struct fs *asked, const unsigned char *set,
                     size_t size)
{
    struct byte_reader from = byte_reader(set, size);
    char *changed = NULL;
    if (stage->view.write && !stage->view.fits(stage->view.context, &from))
        return false;
    bool fits = !stage->trace || fs_trace_ask_again(asked, &from, &changed) == FS_TRACE_SAME;
    memory_free(changed);
    return fits && !from.failed && from.at == from.size;
}

/* Finds the set whose answers are the same now. */
static bool find_set(const struct stage_cache *stage, struct cache_key *out)
{
    struct bytes sets = {0};
    struct cache_key inputs;
    char kind[KIND];
    bool found = false;
    kind_of_inputs(stage, kind);
    inputs.kind = kind;
    memcpy(inputs.hash, stage->key, sizeof inputs.hash);
    if (!cache_get(stage->cache, &inputs, &sets))
        return false;
    struct fs *asked = stage->trace ? fs_trace_new(stage->asked) : NULL;
    if (asked)
        fs_trace_set_answer(asked, stage->answer, stage->answer_context);
    struct byte_reader from = byte_reader(sets.data, sets.size);
    for (uint32_t left = read_u32(&from); left > 0 && !found && !from.failed; left--) {
        uint32_t size = read_u32(&from);
        const unsigned char *set = read_block(&from, size);
        found = set && set_fits(stage, asked, set, size);
        if (found)
            *out = key_of(stage, set, size);
    }
    fs_trace_free(asked);
    bytes_free(&sets);
    return found;
}

bool stage_cache_find(struct stage_cache *stage, struct byte_reader *rest)
{
    struct cache_key key;
    if (!stage->cache)
        return false;
    if (asks(stage)) {
        if (!find_set(stage, &key))
            return false;
    } else {
        key = key_of(stage, NULL, 0);
    }
    if (!cache_get(stage->cache, &key, &stage->found))
        return false;
    *rest = byte_reader(stage->found.data, stage->found.size);
    stage->messages = diag_new(NULL, NULL);
    return diag_read(rest, stage->messages);
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
    progress_begin(stage->env->progress, "from the cache", 0);
    diag_report_again(stage->messages, stage->env->diag);
    progress_end(stage->env->progress);
}

void stage_cache_begin(struct stage_cache *stage)
{
    if (!stage->cache)
        return;
    diag_free(stage->messages);
    stage->messages = diag_new(NULL, NULL);
    diag_set_recorder(stage->env->diag, stage->messages);
}

/* Puts a set in front of those of earlier runs. */
static void keep_set(const struct stage_cache *stage, const struct bytes *set)
{
    struct bytes before = {0}, sets = {0};
    struct cache_key inputs;
    char kind[KIND];
    uint32_t count = 1;
    kind_of_inputs(stage, kind);
    inputs.kind = kind;
    memcpy(inputs.hash, stage->key, sizeof inputs.hash);
    bytes_u32(&sets, 0);
    bytes_sized_block(&sets, set);
    (void)cache_get(stage->cache, &inputs, &before);
    struct byte_reader from = byte_reader(before.data, before.size);
    for (uint32_t left = read_u32(&from); left > 0 && count < SETS; left--) {
        uint32_t size = read_u32(&from);
        const unsigned char *old = read_block(&from, size);
        if (!old)
            break;
        if (size == set->size && memcmp(old, set->data, size) == 0)
            continue;
        bytes_u32(&sets, size);
        bytes_append(&sets, old, size);
        count++;
    }
    store_u32(ORDER_LITTLE, sets.data, count);
    cache_put(stage->cache, &inputs, &sets);
    bytes_free(&before);
    bytes_free(&sets);
}

void stage_cache_keep(struct stage_cache *stage, const struct bytes *result)
{
    struct bytes value = {0}, set = {0};
    if (!stage->cache)
        return;
    diag_set_recorder(stage->env->diag, NULL);
    if (env_stopped(stage->env) || diag_count(stage->messages, DIAG_ERROR) ||
        !diag_append(stage->messages, &value))
        return;
    bytes_append(&value, result->data, result->size);
    append_set(stage, &set);
    struct cache_key key = key_of(stage, set.data, set.size);
    cache_put(stage->cache, &key, &value);
    if (asks(stage))
        keep_set(stage, &set);
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
