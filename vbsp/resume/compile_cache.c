#include "vbsp/resume/compile_cache.h"

#include <string.h>

#include "common/assets/assets_lookups.h"
#include "common/assets/mounts/disk_path.h"
#include "common/bsp/codec/format.h"
#include "common/core/memory.h"
#include "common/diag/diag_bytes.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/pointfile.def"
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
    bytes_sized_text(out, pointfile_of(cache->run->cache.messages));
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
    stage_cache_refuse_question(&cache->run->cache, question->path);
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
        cache->own_asked = fs_trace_new(cache->run->cache.asked);
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
    struct fs *fs = cache->run->cache.asked;
    const uint64_t base = (uint64_t)512 << 20;
    if (cache->place.given[SOURCE_PLACE_EMBED] || fs->ops->size(fs, cache->place.source, &size))
        return 0;
    return base + 64 * size;
}

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_add(hash, text, strlen(text) + 1);
}

/* Besides the files, the result depends on the options, those of the map too, and on the name of
 * the source. The outputs are named by messages about leaks alone, whose results are of that name.
 */
static void set_key(struct compile_cache *cache, unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, cache->options, sizeof cache->options);
    add_text(&hash, cache->format->target);
    if (cache->description)
        sha256_add(&hash, cache->description, SHA256_SIZE);
    source_place_hash(&cache->place, &hash);
    add_text(&hash, cache->sizes_only ? "sizes" : "images");
    sha256_end(&hash, out);
}

static bool ask(struct stage_run *run)
{
    struct compile_cache *cache = run->result;
    struct stage_cache *stage = &run->cache;
    if (!cache->game)
        return false;
    cache->run = run;
    set_key(cache, stage->key);
    stage->trace = cache->game;
    stage->asked = cache->asked;
    cache->materials = (struct material_view){.assets = cache->assets, .env.fs = cache->asked};
    stage->answer = material_view_answer;
    stage->answer_context = &cache->materials;
    stage->view = (struct stage_view){cache, write_own, own_fits};
    stage->may_leak = true;
    stage->may_ask = may_ask_content;
    stage->may_ask_context = cache;
    stage->max_result = max_result(cache);
    add_instance_paths(cache);
    return true;
}

static void forget(struct compile_cache *cache)
{
    bytes_free(&cache->names);
    diag_free(cache->shader_reports);
    cache->shader_reports = NULL;
}

static bool take(struct stage_run *run, struct byte_reader *from)
{
    struct compile_cache *cache = run->result;
    cache->shader_reports = diag_new(NULL, NULL);
    cache->has_reported = read_u8(from) != 0;
    if (!read_sized_block(from, &cache->names) || !diag_read(from, cache->shader_reports) ||
        !vbsp_output_read(from, cache->format, cache->output))
        return false;
    bool leaks = cache->output->leak != NULL;
    if (leaks != (diag_leaks(run->cache.messages) > 0))
        return false;
    run->taken = leaks ? STATUS_LEAK : STATUS_OK;
    stage_cache_rename(&run->cache, source_place_lengthen, &cache->place);
    return true;
}

static void miss(struct stage_run *run)
{
    struct compile_cache *cache = run->result;
    forget(cache);
    vbsp_output_free(cache->output);
    cache->place.is_bound = cache->place.is_mixed;
    material_view_free(&cache->materials);
    if (run->cache.cache)
        material_view_begin(&cache->materials, cache->game, cache->assets);
}

static bool give(struct stage_run *run, struct bytes *out)
{
    struct compile_cache *cache = run->result;
    struct bytes names = {0};
    if (!cache->output->bsp) /* of a leak whose path alone was asked for */
        return false;
    struct diag *endings = diag_new(NULL, NULL);
    material_view_end(&cache->materials);
    source_place_judge(&cache->place, run->cache.messages);
    stage_cache_rename(&run->cache, source_place_shorten_file, &cache->place);
    assets_append_names(cache->assets, &names);
    assets_report_shaders(cache->assets, endings);
    bytes_u8(out, assets_has_reported(cache->assets));
    bytes_sized_block(out, &names);
    bool fits = diag_append(endings, out) && vbsp_output_append(cache->output, cache->format, out);
    diag_free(endings);
    bytes_free(&names);
    return fits;
}

const struct stage_result compile_cache_result = {
    .ask = ask, .take = take, .miss = miss, .give = give};

void compile_cache_free(struct compile_cache *cache)
{
    forget(cache);
    material_view_free(&cache->materials);
    source_place_free(&cache->place);
    fs_trace_free(cache->own_asked);
}
