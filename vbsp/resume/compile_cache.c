#include "vbsp/resume/compile_cache.h"

#include <string.h>

#include "common/assets/assets_lookups.h"
#include "common/assets/assets_question.h"
#include "common/assets/mounts/disk_path.h"
#include "common/core/memory.h"
#include "common/diag/diag_bytes.h"
#include "common/diag/diag_property.h"
#include "common/resume/fs_trace.h"
#include "common/text/keyvalues.h"
#include "vbsp/resume/output_bytes.h"

/* ---- the files that the compile itself reads ---- */

static void set_names(struct compile_cache *cache, struct fs *trace)
{
    fs_trace_set_names(trace, &(struct fs_trace_names){&cache->place, source_place_shorten,
                                                       source_place_lengthen});
}

/* The name of an output is a part of what is seen if a message has it. */
static const char *pointfile_of(const struct diag *messages)
{
    for (size_t i = 0; i < diag_entries(messages); i++) {
        const struct diag_property *found =
            diag_property(&diag_entry(messages, i)->where, DIAG_OF_POINTFILE);
        if (found)
            return found->text;
    }
    return "";
}

static void write_own(void *context, struct bytes *out)
{
    struct compile_cache *cache = context;
    bytes_sized_text(out, pointfile_of(cache->stage.messages));
    enum source_scope scope = source_place_scope(&cache->place);
    bytes_u8(out, (uint8_t)scope);
    bytes_sized_text(out, source_place_text(&cache->place, scope));
    set_names(cache, cache->place.asked);
    fs_trace_write(cache->place.asked, out);
}

static bool may_ask_own(void *context, const struct fs_trace_question *question)
{
    struct compile_cache *cache = context;
    if (fs_trace_has_asked(cache->place.asked, question->text) ||
        source_place_may_ask(&cache->place, question))
        return true;
    stage_cache_refuse_question(&cache->stage, question->path);
    return false;
}

/* A game may name folders outside of its own. */
static void add_instance_paths(struct compile_cache *cache)
{
    struct source_place *place = &cache->place;
    const struct kv *path = NULL;
    while ((path = assets_instance_path(cache->assets, path))) {
        const char *root = *path->value == '/' ? "/" : assets_game_folder(cache->assets);
        source_place_add_instances(place, disk_path_join(&place->arena, root, path->value));
    }
}

static bool own_fits(void *context, struct byte_reader *from)
{
    struct compile_cache *cache = context;
    struct arena arena = {0};
    char *changed = NULL;
    const char *pointfile = read_sized_text(from, &arena);
    enum source_scope scope = read_u8(from);
    const char *text = read_sized_text(from, &arena);
    bool fits = text && pointfile &&
                (!*pointfile || (cache->pointfile && strcmp(pointfile, cache->pointfile) == 0)) &&
                strcmp(text, source_place_text(&cache->place, scope)) == 0 &&
                (scope == SOURCE_PATH || !cache->place.is_mixed);
    arena_free(&arena);
    if (!fits)
        return false;
    cache->place.is_bound = scope == SOURCE_PATH;
    if (!cache->own_asked) {
        cache->own_asked = fs_trace_new(cache->stage.asked);
        set_names(cache, cache->own_asked);
        fs_trace_set_scope(cache->own_asked,
                           &(struct fs_trace_scope){may_ask_own, cache, stage_cache_asked_max()});
    }
    fits = fs_trace_ask_again(cache->own_asked, from, &changed) == FS_TRACE_SAME;
    memory_free(changed);
    return fits;
}

/* ---- the game's content ---- */

static bool may_ask_content(void *context, const struct fs_trace_question *question)
{
    const struct compile_cache *cache = context;
    return assets_may_ask(cache->assets, question);
}

/* ---- the result ---- */

/* A BSP has little that its source does not say, but for what a folder to embed has. */
static uint64_t max_result(const struct compile_cache *cache)
{
    uint64_t size;
    struct fs *fs = cache->stage.asked;
    const uint64_t base = (uint64_t)512 << 20;
    if (cache->place.given[SOURCE_PLACE_EMBED] || fs->ops->size(fs, cache->place.source, &size))
        return 0;
    return base + 64 * size;
}

static bool read_result(struct compile_cache *cache, struct byte_reader *from,
                        struct vbsp_output *out)
{
    cache->shader_reports = diag_new(NULL, NULL);
    cache->has_reported = read_u8(from) != 0;
    return read_sized_block(from, &cache->names) && diag_read(from, cache->shader_reports) &&
           vbsp_output_read(from, cache->format, out) &&
           (out->leak != NULL) == (diag_count_code(cache->stage.messages, DIAG_LEAK) > 0);
}

static void forget(struct compile_cache *cache)
{
    bytes_free(&cache->names);
    diag_free(cache->shader_reports);
    cache->shader_reports = NULL;
}

bool compile_cache_use(struct compile_cache *cache, struct vbsp_output *out)
{
    struct byte_reader from;
    cache->materials =
        (struct material_view){.assets = cache->assets, .env.fs = cache->stage.asked};
    cache->stage.answer = material_view_answer;
    cache->stage.answer_context = &cache->materials;
    cache->stage.view = (struct stage_view){cache, write_own, own_fits};
    if (cache->stage.cache) {
        cache->stage.max_result = max_result(cache);
        add_instance_paths(cache);
    }
    cache->stage.may_leak = true;
    cache->stage.may_ask = may_ask_content;
    cache->stage.may_ask_context = cache;
    if (stage_cache_find(&cache->stage, &from)) {
        if (read_result(cache, &from, out)) {
            stage_cache_rename(&cache->stage, source_place_lengthen, &cache->place);
            stage_cache_use(&cache->stage);
            return true;
        }
        stage_cache_refuse(&cache->stage);
    }
    forget(cache);
    vbsp_output_free(out);
    cache->place.is_bound = cache->place.is_mixed;
    material_view_free(&cache->materials);
    if (cache->stage.cache)
        material_view_begin(&cache->materials, cache->stage.trace, cache->assets);
    stage_cache_begin(&cache->stage);
    return false;
}

void compile_cache_keep(struct compile_cache *cache, const struct vbsp_output *output)
{
    struct bytes result = {0}, names = {0};
    material_view_end(&cache->materials);
    if (!cache->stage.cache)
        return;
    struct diag *endings = diag_new(NULL, NULL);
    source_place_judge(&cache->place, cache->stage.messages);
    stage_cache_rename(&cache->stage, source_place_shorten_file, &cache->place);
    assets_append_names(cache->assets, &names);
    assets_report_shaders(cache->assets, endings);
    bytes_u8(&result, assets_has_reported(cache->assets));
    bytes_sized_block(&result, &names);
    if (diag_append(endings, &result) && vbsp_output_append(output, cache->format, &result))
        stage_cache_keep(&cache->stage, &result);
    diag_free(endings);
    bytes_free(&names);
    bytes_free(&result);
}

void compile_cache_free(struct compile_cache *cache)
{
    forget(cache);
    material_view_free(&cache->materials);
    source_place_free(&cache->place);
    fs_trace_free(cache->own_asked);
    stage_cache_end(&cache->stage);
}
