#include "vbsp/resume/material_view.h"

#include <string.h>

#include "common/assets/assets_lookups.h"
#include "common/assets/assets_options.h"
#include "common/core/array.h"
#include "common/diag/codes/missing_materials.def"
#include "common/resume/fs_trace.h"

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_add(hash, text ? "=" : "", text ? 1 : 0);
    sha256_add(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_record(struct sha256 *hash, const struct material *material)
{
    const int numbers[] = {material->width,       material->height,   material->view_width,
                           material->view_height, material->contents, material->surface_flags,
                           (int)material->origin};
    const unsigned char flags[] = {
        material->translucent,    material->water, material->is_clip, material->no_chop,
        material->envmap_cubemap, material->bump,  material->guessed};
    const char *const texts[] = {material->name,         material->shader,
                                 material->surface_prop, material->bottom_material,
                                 material->flat_texture, material->detail_type};
    sha256_add(hash, numbers, sizeof numbers);
    sha256_add(hash, flags, sizeof flags);
    sha256_add(hash, material->reflectivity, sizeof material->reflectivity);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(hash, texts[i]);
    for (size_t i = 0; i < MATERIAL_DEPENDENTS; i++)
        add_text(hash, material->dependents[i]);
}

/* A missing material is told by its record, and reported now or later. */
static void add_messages(struct sha256 *hash, const struct diag *diag, size_t from)
{
    for (size_t i = from; i < diag_entries(diag); i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        if (entry->code == DIAG_MATERIAL_MISSING)
            continue;
        sha256_add(hash, &entry->code, sizeof entry->code);
        sha256_add(hash, &entry->where.line, sizeof entry->where.line);
        add_text(hash, entry->where.file);
        add_text(hash, entry->message);
    }
}

static void hash_of(const struct material *material, const struct diag *diag, size_t from,
                    unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    add_record(&hash, material);
    add_messages(&hash, diag, from);
    sha256_end(&hash, out);
}

static void begin_material(void *context)
{
    struct material_view *view = context;
    view->messages = diag_entries(assets_env(view->assets)->diag);
    fs_trace_hide_reads(view->trace, true);
}

static void end_material(void *context, const char *name, const struct material *material)
{
    struct material_view *view = context;
    unsigned char answer[SHA256_SIZE];
    fs_trace_hide_reads(view->trace, false);
    hash_of(material, assets_env(view->assets)->diag, view->messages, answer);
    fs_trace_note_view(view->trace, name, answer);
}

void material_view_begin(struct material_view *view, struct fs *trace, struct assets *assets)
{
    *view = (struct material_view){.trace = trace, .assets = assets};
    if (!assets_have_shaders(assets))
        assets_watch(assets, &(struct assets_watch){view, begin_material, end_material});
}

void material_view_end(struct material_view *view)
{
    if (view->assets)
        assets_watch(view->assets, &(struct assets_watch){0});
}

static bool open_others(struct material_view *view)
{
    const struct bytes *opened_with = assets_opened_with(view->assets);
    struct byte_reader from = byte_reader(opened_with->data, opened_with->size);
    struct arena arena = {0};
    struct assets_options options;
    view->env.diag = diag_new(NULL, NULL);
    view->env.threads = 1;
    bool is_open = assets_options_read(&from, &arena, &options) &&
                   assets_open(&view->env, &options, &view->others) == STATUS_OK;
    if (is_open)
        assets_hold_missing(view->others);
    arena_free(&arena);
    return is_open;
}

bool material_view_answer(void *context, const char *name, unsigned char out[SHA256_SIZE])
{
    struct material_view *view = context;
    if (!view->env.diag && !open_others(view))
        return false;
    if (!view->others)
        return false;
    size_t before = diag_entries(view->env.diag);
    hash_of(assets_material(view->others, name), view->env.diag, before, out);
    return true;
}

void material_view_free(struct material_view *view)
{
    material_view_end(view);
    if (view->others) {
        const struct material **missing = assets_release_missing(view->others);
        arrfree(missing);
    }
    assets_free(view->others);
    diag_free(view->env.diag);
    *view = (struct material_view){0};
}
