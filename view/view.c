#include "view/view.h"

#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/base64.h"
#include "common/core/bytes.h"
#include "common/core/sha256.h"
#include "common/diag/codes/syntax.def"
#include "common/diag/diag_json.h"
#include "view/pack/diagnostics.h"
#include "view/pack/geometry.h"
#include "view/pack/page_light.h"
#include "view/pack/sky.h"
#include "view/pack/structure.h"
#include "view/page_files.h"

/* The HTML of a page: the program and style of view/page, and the data in base64. */

/* --- the template --- */

static void put_hash(const char *text, size_t size, struct bytes *out)
{
    unsigned char hash[SHA256_SIZE];
    sha256_of(text, size, hash);
    bytes_append_text(out, "'sha256-");
    base64_append(out, hash, sizeof hash);
    bytes_append_text(out, "'");
}

static void put_policy(bool is_served, struct bytes *out)
{
    bytes_append_text(out, "default-src 'none'; base-uri 'none'; form-action 'none'; script-src ");
    put_hash(view_page_script, view_page_script_size, out);
    bytes_append_text(out, "; style-src ");
    put_hash(view_page_style, view_page_style_size, out);
    if (is_served)
        bytes_append_text(out, "; connect-src 'self'");
}

struct slot {
    const char *mark; /* in page.html */
    enum { SLOT_POLICY, SLOT_STYLE, SLOT_DATA, SLOT_SCRIPT } kind;
};

static void fill_slot(const struct slot *slot, const struct bytes *data, struct bytes *html)
{
    switch (slot->kind) {
    case SLOT_POLICY:
        put_policy(data->size == 0, html);
        break;
    case SLOT_STYLE:
        bytes_append(html, view_page_style, view_page_style_size);
        break;
    case SLOT_DATA:
        base64_append(html, data->data, data->size);
        break;
    case SLOT_SCRIPT:
        bytes_append(html, view_page_script, view_page_script_size);
        break;
    }
}

/* Appends the page. Its policy allows this program and style, by their hashes, and nothing else;
 * without data also requests to where it came from. */
static void view_page_write(const struct bytes *data, struct bytes *html)
{
    static const struct slot slots[] = {{"@POLICY@", SLOT_POLICY},
                                        {"@STYLE@", SLOT_STYLE},
                                        {"@DATA@", SLOT_DATA},
                                        {"@SCRIPT@", SLOT_SCRIPT}};
    const char *from = view_page_html;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        const char *mark = strstr(from, slots[i].mark);
        if (!mark)
            continue;
        bytes_append(html, from, (size_t)(mark - from));
        fill_slot(&slots[i], data, html);
        from = mark + strlen(slots[i].mark);
    }
    bytes_append(html, from, strlen(from));
}

const struct view_options view_defaults = {.texture_size = 512, .quality = 85};

static json_t *skybox_of_page(const struct map_scene *scene)
{
    const struct map_skybox *skybox = &scene->skybox;
    if (!skybox->present)
        return json_null();
    json_t *row = json_object();
    json_object_set_new(row, "origin", view_numbers(skybox->origin.e, 3));
    json_object_set_new(row, "scale", view_numbers(&skybox->scale, 1));
    return row;
}

struct scene_view view_start(const struct map_scene *scene)
{
    struct bounds bounds = map_scene_bounds(scene);
    struct scene_view view = {0};
    if (!scene_start_view(scene, &view))
        view = (struct scene_view){.eye = vec3_scale(vec3_add(bounds.mins, bounds.maxs), 0.5)};
    return view;
}

static json_t *start_of_page(const struct scene_view *view)
{
    const double numbers[5] = {view->eye.x, view->eye.y, view->eye.z, view->angles.x,
                               view->angles.y};
    return view_numbers(numbers, 5);
}

static void describe(const struct view_source *source, json_t *head)
{
    const struct map_scene *scene = source->scene;
    struct bounds bounds = map_scene_bounds(scene);
    json_object_set_new(head, "name", diag_json_text(source->name));
    json_object_set_new(head, "quake3", json_boolean(scene->bsp->engine->geometry.has_surfaces));
    json_object_set_new(head, "lit", json_boolean(scene->mesh.lit));
    json_object_set_new(head, "hdr", json_boolean(scene_is_hdr(scene)));
    json_object_set_new(head, "skybox", skybox_of_page(scene));
    json_object_set_new(head, "mins", view_numbers(bounds.mins.e, 3));
    json_object_set_new(head, "maxs", view_numbers(bounds.maxs.e, 3));
    json_object_set_new(head, "start", start_of_page(&source->start));
    json_object_set_new(head, "exposure", json_real(source->exposure));
}

static void pack_map(const struct view_source *source, const struct view_options *options,
                     struct view_data *data)
{
    const struct map_scene *scene = source->scene;
    struct light_atlas atlas;
    describe(source, data->head);
    struct computed_light computed;
    struct view_materials materials;
    light_atlas_list(scene, true, &atlas);
    computed_light_add(scene, &atlas, &computed);
    light_atlas_place(&atlas);
    light_atlas_pack(&atlas, data);
    view_materials_open(data, options, scene->materials.assets, &materials);
    view_geometry_pack(scene, &(struct view_light){&atlas, &computed}, &materials, data);
    view_materials_free(&materials);
    computed_light_free(&computed);
    light_atlas_free(&atlas);
    view_sky_pack(scene, options, data);
    view_fog_pack(scene, data);
    view_structure_pack(scene, data);
    view_entities_pack(&scene->entities, data);
    view_checks_pack(scene->bsp, source->name, data);
    view_leak_pack(&source->leak, data);
    view_portals_pack(scene->bsp, &source->portals, data);
}

static void pack(const struct view_source *source, const struct view_options *options,
                 struct view_data *data)
{
    pack_map(source, options, data);
    if (!source->before)
        return;
    view_data_before(data);
    pack_map(source->before, options, data);
}

static enum status pack_messages(const struct env *env, const char *file, struct view_data *data)
{
    struct bytes text = {0};
    if (!file)
        return STATUS_OK;
    TRY(fs_load(env->fs, env->diag, file, &text));
    json_t *rows = view_diagnostics_read(&text);
    bytes_free(&text);
    if (!rows)
        return diag_report(env->diag, DIAG_TEXT_SYNTAX, &(struct diag_where){.file = file},
                           "neither messages as JSON nor SARIF");
    json_object_set_new(data->head, "messages", rows);
    return STATUS_OK;
}

enum status view_write(const struct env *env, const struct view_source *source,
                       const struct view_options *options, struct bytes *html)
{
    struct view_data data;
    struct bytes packed = {0};
    progress_begin(env->progress, "page", 0);
    view_data_open(&data);
    enum status status = pack_messages(env, source->messages_file, &data);
    if (status == STATUS_OK)
        pack(source, options, &data);
    if (status == STATUS_OK) {
        view_data_close(&data, env->threads, &packed);
        view_page_write(&packed, html);
    }
    view_data_free(&data);
    bytes_free(&packed);
    progress_end(env->progress);
    return status;
}

void view_shell_write(struct bytes *html)
{
    view_page_write(&(struct bytes){0}, html);
}

char *view_messages_text(const struct bytes *file)
{
    json_t *rows = view_diagnostics_read(file);
    char *text = rows ? json_dumps(rows, JSON_COMPACT) : NULL;
    json_decref(rows);
    return text;
}
