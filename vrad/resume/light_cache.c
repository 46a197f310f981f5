#include "vrad/resume/light_cache.h"

#include <string.h>

#include "common/assets/assets_lookups.h"
#include "common/bsp/codec/content.h"
#include "common/bsp/convert/convert.h"
#include "common/bsp/query.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/core/array.h"
#include "common/diag/diag_bytes.h"
#include "common/resume/fs_trace.h"
#include "common/text/entity_patch.h"

/* ---- the entities, as the light sees them ---- */

/* Hashes what the entities answer. */
static bool answer(const char *entities, struct byte_reader from, unsigned char out[SHA256_SIZE])
{
    struct entity_list list = {0};
    struct diag *diag = diag_new(NULL, NULL);
    struct entity_questions *questions = entity_questions_read(&from);
    bool fits = questions &&
                entities_parse(entities, arrlenu(entities), "entities", diag, &list) == STATUS_OK;
    if (fits)
        entity_questions_answer(questions, &list, out);
    entity_questions_free(questions);
    entities_free(&list);
    diag_free(diag);
    return fits;
}

/* ---- what earlier stages have asked for ----
 *
 * The assets report a fault of a material or shader once a run, in whichever stage asks first. So a
 * result is of a run whose earlier stages, if there were any, have asked for the same; or it is the
 * same in each, since nothing was asked for, or nothing to be reported. */

enum names_scope { NAMES_ANY, NAMES_UNREPORTED, NAMES_SAME };

/* Without a game all shaders are missing, which is reported once. */
static bool has_game(const struct light_cache *cache)
{
    return !assets_have_shaders(cache->assets) || assets_mounts(cache->assets) > 0;
}

static enum names_scope scope_of_names(const struct light_cache *cache)
{
    struct bytes since = {0};
    assets_append_names_since(cache->assets, &since);
    bool asked = since.size > sizeof(uint32_t);
    bytes_free(&since);
    if (!asked)
        return NAMES_ANY;
    return has_game(cache) && !cache->has_reported && !assets_has_reported(cache->assets)
               ? NAMES_UNREPORTED
               : NAMES_SAME;
}

static void write_names(const struct light_cache *cache, struct bytes *out)
{
    static const unsigned char any[SHA256_SIZE];
    enum names_scope scope = scope_of_names(cache);
    bytes_u8(out, (uint8_t)scope);
    bytes_append(out, scope == NAMES_SAME ? cache->names : any, SHA256_SIZE);
}

static bool names_fit(const struct light_cache *cache, struct byte_reader *from)
{
    enum names_scope scope = read_u8(from);
    const unsigned char *names = read_block(from, SHA256_SIZE);
    return names && (scope == NAMES_ANY ||
                     (scope == NAMES_UNREPORTED && has_game(cache) && !cache->has_reported) ||
                     (scope == NAMES_SAME && memcmp(names, cache->names, SHA256_SIZE) == 0));
}

/* ---- the questions ---- */

static void write_questions(void *context, struct bytes *out)
{
    const struct light_cache *cache = context;
    write_names(cache, out);
    unsigned char hash[SHA256_SIZE] = {0};
    struct bytes questions = {0};
    entity_reads_write(cache->reads, &questions);
    (void)answer(cache->entities, byte_reader(questions.data, questions.size), hash);
    bytes_sized_block(out, &questions);
    bytes_append(out, hash, sizeof hash);
    bytes_free(&questions);
}

static bool questions_fit(void *context, struct byte_reader *from)
{
    const struct light_cache *cache = context;
    if (!names_fit(cache, from))
        return false;
    unsigned char now[SHA256_SIZE];
    uint32_t size = read_u32(from);
    const unsigned char *questions = read_block(from, size);
    const unsigned char *then = read_block(from, SHA256_SIZE);
    return questions && then && answer(cache->entities, byte_reader(questions, size), now) &&
           memcmp(then, now, sizeof now) == 0;
}

static bool is_option(const char *option, const char *path)
{
    return option && strcmp(option, path) == 0;
}

static bool may_ask(void *context, const struct fs_trace_question *question)
{
    const struct light_cache *cache = context;
    return assets_may_ask(cache->assets, question) || is_option(cache->rads[0], question->path) ||
           is_option(cache->rads[1], question->path);
}

/* A face has at most so many bytes of lightmaps: of all styles and directions, LDR and HDR. */
static uint64_t max_result(const struct bsp *bsp)
{
    const uint64_t base = (uint64_t)512 << 20, face = (uint64_t)256 << 10;
    return base + face * arrlenu(bsp->faces) + bsp->pakfile.size;
}

/* ---- the key ---- */

static void add_bytes(struct sha256 *hash, const struct bytes *bytes)
{
    const uint64_t size = bytes->size;
    sha256_add(hash, &size, sizeof size);
    sha256_add(hash, bytes->data, bytes->size);
}

static void add_text(struct sha256 *hash, const char *text)
{
    const unsigned char is_set = text != NULL;
    sha256_add(hash, &is_set, 1);
    if (text)
        sha256_add(hash, text, strlen(text) + 1);
}

/* Lightmaps and shader scripts, or errors, beside the BSP. */
static bool writes_files(const struct vrad_options *options)
{
    return options->quake3.external || options->quake3.lightmap_size ||
           vrad_reference_paths(options) > 0;
}

/* All of the map but its entities, whose part is found while it is lit, with the notes of its
 * compile or NULL. */
static bool set_key(const struct light_cache *cache, const struct surface_notes *notes,
                    unsigned char out[SHA256_SIZE])
{
    const struct vrad_options *options = cache->options;
    struct bytes text = {0};
    struct sha256 hash;
    /* With other ranks messages about shaders are kept apart from those of earlier stages. */
    const unsigned char is_shared = cache->is_shared;
    const uint64_t lumps = BSP_ALL_LUMPS & ~(uint64_t)1; /* entities are lump 0 of all families */
    sha256_begin(&hash);
    sha256_add(&hash, cache->session->options, sizeof cache->session->options);
    if (notes && (arrlenu(notes->items) || arrlenu(notes->lights)))
        surface_notes_format(notes, cache->bsp, &text);
    sha256_add(&hash, &is_shared, 1);
    add_bytes(&hash, &text);
    add_text(&hash, options->map_rad);
    sha256_add(&hash, cache->session->description, SHA256_SIZE);
    add_bytes(&hash, assets_opened_with(cache->assets));
    bool fits = bsp_hash_lumps(cache->bsp, cache->format, lumps, &hash);
    sha256_end(&hash, out);
    bytes_free(&text);
    return fits;
}

bool light_cache_scene(const struct stage_run *run, unsigned char out[SHA256_SIZE])
{
    const struct light_cache *cache = run->result;
    if (!cache->reads || !run->env->cache)
        return false;
    struct bytes seen = {0};
    struct surface_notes notes = {0};
    if (cache->options->quake3.notes)
        notes = *cache->options->quake3.notes;
    notes.lights = NULL;
    bool fits = set_key(cache, &notes, bytes_extend(&seen, SHA256_SIZE));
    write_questions(run->result, &seen);
    fs_trace_write(run->cache.trace, &seen);
    sha256_of(seen.data, seen.size, out);
    bytes_free(&seen);
    return fits;
}

static void set_names(struct light_cache *cache)
{
    struct bytes names = {0};
    if (cache->session->names)
        bytes_append(&names, cache->session->names->data, cache->session->names->size);
    else
        assets_append_names(cache->assets, &names);
    sha256_of(names.data, names.size, cache->names);
    cache->has_reported =
        cache->session->names ? cache->session->has_reported : assets_has_reported(cache->assets);
    bytes_free(&names);
}

/* Those of stages whose results came from the cache. */
static void ask_earlier_names(const struct light_cache *cache)
{
    const struct bytes *names = cache->session->names;
    if (!names)
        return;
    struct byte_reader from = byte_reader(names->data, names->size);
    (void)assets_look_up_names(cache->assets, &from);
}

static bool ask(struct stage_run *run)
{
    struct light_cache *cache = run->result;
    const struct vrad_options *options = cache->options;
    const struct vrad_session *session = cache->session;
    if (!session || !session->content)
        return false;
    set_names(cache);
    cache->is_asked = true;
    cache->format = session->format ? session->format : cache->bsp->format;
    if (!cache->format || writes_files(options) ||
        !set_key(cache, options->quake3.notes, run->cache.key))
        return false;
    cache->reads = entity_reads_new();
    arrsetlen(cache->entities, arrlenu(cache->bsp->entities));
    memcpy(cache->entities, cache->bsp->entities, arrlenu(cache->entities));
    cache->rads[0] = options->map_rad;
    cache->rads[1] = options->lights_file;
    run->cache.trace = session->content;
    run->cache.asked = fs_trace_below(session->content);
    run->cache.view = (struct stage_view){cache, write_questions, questions_fit};
    run->cache.may_ask = may_ask;
    run->cache.may_ask_context = cache;
    run->cache.max_result = max_result(cache->bsp);
    return true;
}

static void miss(struct stage_run *run)
{
    const struct light_cache *cache = run->result;
    if (!cache->is_asked)
        return;
    ask_earlier_names(cache);
    assets_begin_names(cache->assets);
}

/* ---- the result: what was asked for, messages of shaders at the end of the run, the change of
 * entities, the BSP ---- */

/* The shaders that the run and its earlier stages have used are reported at its end. `with`: what
 * earlier stages have asked for, of the run that made the result. */
static void set_shader_reports(struct light_cache *cache, const unsigned char *with,
                               const struct bytes *asked, struct diag *shader_reports)
{
    struct vrad_session *session = cache->session;
    if (!assets_have_shaders(cache->assets) || memcmp(with, cache->names, SHA256_SIZE) == 0) {
        session->shader_reports = shader_reports;
        return;
    }
    diag_free(shader_reports);
    ask_earlier_names(cache);
    struct byte_reader from = byte_reader(asked->data, asked->size);
    (void)assets_look_up_names(cache->assets, &from);
}

/* The same map, but for its light. A file does not tell its engine: games have files in common. */
static bool is_of_map(const struct bsp *lit, const struct bsp *bsp, const struct bsp_format *format)
{
    return bsp_format_is_same_file(lit->format, format) &&
           bsp_page_side(lit) == bsp_page_side(bsp) &&
           arrlenu(lit->planes) == arrlenu(bsp->planes) &&
           arrlenu(lit->nodes) == arrlenu(bsp->nodes) &&
           arrlenu(lit->leaves) == arrlenu(bsp->leaves) &&
           arrlenu(lit->models) == arrlenu(bsp->models) &&
           arrlenu(lit->brushes) == arrlenu(bsp->brushes);
}

static bool take(struct stage_run *run, struct byte_reader *from)
{
    struct light_cache *cache = run->result;
    struct bsp *bsp = cache->bsp;
    struct bytes file = {0}, change = {0}, asked = {0};
    struct bsp *lit = NULL;
    struct diag *diag = diag_new(NULL, NULL), *shader_reports = diag_new(NULL, NULL);
    const unsigned char *with = read_block(from, SHA256_SIZE);
    bool fits = with && read_sized_block(from, &asked) && diag_read(from, shader_reports) &&
                read_sized_block(from, &change) && read_sized_block(from, &file) &&
                from->at == from->size &&
                bsp_decode_file(&file, "cache", diag, &lit) == STATUS_OK &&
                is_of_map(lit, bsp, cache->format);
    struct byte_reader change_reader = byte_reader(change.data, change.size);
    fits = fits && entity_patch_apply(&change_reader, &bsp->entities);
    if (fits) {
        bsp_take_content(bsp, lit);
        set_shader_reports(cache, with, &asked, shader_reports);
        shader_reports = NULL;
    }
    bytes_free(&asked);
    bytes_free(&change);
    bytes_free(&file);
    bsp_free(lit);
    diag_free(shader_reports);
    diag_free(diag);
    return fits;
}

/* Appends the names that were asked for, and messages of shaders at the end of the run. */
static bool give_reports(const struct light_cache *cache, struct bytes *out)
{
    struct bytes asked = {0};
    struct diag *shader_reports = diag_new(NULL, NULL);
    assets_append_names_since(cache->assets, &asked);
    bytes_append(out, cache->names, sizeof cache->names);
    bytes_sized_block(out, &asked);
    assets_report_shaders(cache->assets, shader_reports);
    bool fits = diag_append(shader_reports, out);
    diag_free(shader_reports);
    bytes_free(&asked);
    return fits;
}

static bool give_change(const struct light_cache *cache, struct bytes *out)
{
    struct bytes questions = {0}, change = {0};
    const char *entities = cache->bsp->entities;
    entity_reads_write(cache->reads, &questions);
    bool fits = entity_patch_make(&questions, cache->entities, arrlenu(cache->entities), entities,
                                  arrlenu(entities), &change);
    bytes_sized_block(out, &change);
    bytes_free(&questions);
    bytes_free(&change);
    return fits;
}

static bool give_bsp(const struct light_cache *cache, struct bytes *out)
{
    struct bytes file = {0};
    struct diag *diag = diag_new(NULL, NULL);
    bool fits = bsp_encode(cache->bsp, cache->format, "map", diag, &file) == STATUS_OK;
    bytes_sized_block(out, &file);
    bytes_free(&file);
    diag_free(diag);
    return fits;
}

static bool give(struct stage_run *run, struct bytes *out)
{
    const struct light_cache *cache = run->result;
    bool fits = give_reports(cache, out);
    bsp_light_fit(cache->bsp, cache->format, run->env->diag);
    return fits && give_change(cache, out) && give_bsp(cache, out);
}

const struct stage_result light_cache_result = {
    .ask = ask, .take = take, .miss = miss, .give = give};

void light_cache_free(struct light_cache *cache)
{
    entity_reads_free(cache->reads);
    arrfree(cache->entities);
}
