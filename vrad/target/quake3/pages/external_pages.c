/* External lightmaps, as image files beside the map: on request, for pages larger than the
 * format's, and for styles, which the format does not have. A shader script shows them. */
#include "vrad/target/quake3/pages/pages.h"

#include <stdio.h>
#include <string.h>

#include "common/assets/assets.h"
#include "common/assets/shaders/shader_script.h"
#include "common/assets/textures/tga.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lightmap_pages.def"
#include "common/io/fs.h"

/* Shaders that show external lightmaps: copies of the originals with the $lightmap stage
 * replaced. */

struct shader_stage {
    struct shader_directive *lines; /* stb_ds array */
};

struct script {
    struct shader_directive *outer; /* stb_ds arrays */
    struct shader_stage *stages;
    ptrdiff_t marker;  /* stages before q3map_styleMarker; -1: none */
    bool marker_equal; /* it is q3map_styleMarker2: at the depth of the stages before only */
};

static bool is_word(const struct shader_directive *line, const char *word)
{
    return str_equal_nocase(line->words[0], word);
}

static const struct shader_directive *line_of(const struct shader_stage *stage, const char *word)
{
    for (ptrdiff_t i = 0; i < arrlen(stage->lines); i++)
        if (is_word(&stage->lines[i], word))
            return &stage->lines[i];
    return NULL;
}

static bool shows_light(const struct shader_stage *stage)
{
    const struct shader_directive *map = line_of(stage, "map");
    return map && map->count > 1 && str_equal_nocase(map->words[1], "$lightmap");
}

static bool multiplies(const struct shader_stage *stage)
{
    const struct shader_directive *blend = line_of(stage, "blendFunc");
    if (!blend || blend->count < 2)
        return false;
    const char *to = blend->count > 2 ? blend->words[2] : "";
    return str_equal_nocase(blend->words[1], "filter") ||
           (str_equal_nocase(blend->words[1], "GL_DST_COLOR") && str_equal_nocase(to, "GL_ZERO")) ||
           (str_equal_nocase(blend->words[1], "GL_ZERO") && str_equal_nocase(to, "GL_SRC_COLOR"));
}

static void sort_lines(const struct shader_block *block, struct arena *arena, struct script *out)
{
    struct shader_cursor cursor = shader_cursor(block);
    struct shader_directive line;
    while (shader_next_directive(&cursor, arena, &line)) {
        bool equal = is_word(&line, "q3map_styleMarker2");
        if (line.depth == 0 && (equal || is_word(&line, "q3map_styleMarker"))) {
            out->marker = line.stage + 1;
            out->marker_equal = equal;
            continue;
        }
        if (line.depth == 0) {
            arrput(out->outer, line);
            continue;
        }
        while (arrlen(out->stages) <= line.stage)
            arrput(out->stages, (struct shader_stage){0});
        arrput(out->stages[line.stage].lines, line);
    }
}

/* Reads the script of a shader; false when it has none, so that it is an implicit shader for an
 * image. */
static bool read_script(struct quake3_light *q, const char *name, struct script *out)
{
    const struct shader *shader = q->assets ? assets_shader(q->assets, name) : NULL;
    struct bytes text = {0};
    if (!shader || !shader->has_script || !shader->file ||
        !assets_read(q->assets, shader->file, &text))
        return false;
    struct shader_scripts scripts = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    shader_scripts_add(&scripts, &text, shader->file, true, quiet);
    const char *clean = shader_clean_name(&q->arena, name);
    const struct shader_block *block = clean ? shader_scripts_find(&scripts, clean) : NULL;
    if (block)
        sort_lines(block, &q->arena, out);
    shader_scripts_free(&scripts);
    diag_free(quiet);
    return block != NULL;
}

/* ---- writing ---- */

static void put_stage(struct bytes *out, const struct shader_stage *stage, const char *without,
                      const char *instead)
{
    bytes_append_text(out, "\t{\n");
    for (ptrdiff_t i = 0; i < arrlen(stage->lines); i++) {
        const struct shader_directive *line = &stage->lines[i];
        if (without && is_word(line, without))
            continue;
        bytes_append_text(out, "\t\t%s%s%s\n", line->words[0], line->rest[0] ? " " : "",
                          line->rest);
    }
    if (instead)
        bytes_append_text(out, "\t\t%s\n", instead);
    bytes_append_text(out, "\t}\n");
}

/* Writes the $lightmap stage, unchanged or with an image. */
static void put_light(struct bytes *out, const struct shader_stage *stage, const char *light,
                      bool opaque)
{
    bytes_append_text(out, "\t{\n\t\tmap %s\n", light ? light : "$lightmap");
    for (ptrdiff_t i = 0; stage && i < arrlen(stage->lines); i++) {
        const struct shader_directive *line = &stage->lines[i];
        if (is_word(line, "map") || is_word(line, "rgbGen") || is_word(line, "tcGen") ||
            (opaque && is_word(line, "blendFunc")))
            continue;
        bytes_append_text(out, "\t\t%s%s%s\n", line->words[0], line->rest[0] ? " " : "",
                          line->rest);
    }
    /* The engine applies overbright to lightmap pages of the file only: external ones are stored
     * that much brighter, and dimmed by the overbright factor of the screen. */
    bytes_append_text(out, light ? "\t\trgbGen identityLighting\n\t\ttcGen lightmap\n\t}\n"
                                 : "\t\trgbGen identity\n\t}\n");
}

static void put_styles(struct bytes *out, const char *const *styles, const char *const *waves,
                       int count, bool equal)
{
    for (int i = 0; i < count; i++)
        bytes_append_text(out,
                          "\t{\n\t\tmap %s\n\t\tblendFunc GL_ONE GL_ONE\n%s\t\trgbGen %s\n"
                          "\t\ttcGen lightmap\n\t}\n",
                          styles[i], equal ? "\t\tdepthFunc equal\n" : "", waves[i]);
}

/* For an implicit shader: the lightmap, and the image over it. */
static void put_plain(struct bytes *out, const char *image, const char *light,
                      const char *const *styles, const char *const *waves, int count)
{
    put_light(out, NULL, light, true);
    put_styles(out, styles, waves, count, false);
    bytes_append_text(out,
                      "\t{\n\t\tmap %s\n\t\tblendFunc GL_DST_COLOR GL_ZERO\n"
                      "\t\trgbGen identity\n\t}\n",
                      image);
}

/* All stages in their order, with the styles before stage `marker` (-1: none are written). */
static void put_in_order(struct bytes *out, const struct script *script, ptrdiff_t light_stage,
                         const char *light, const char *const *styles, const char *const *waves,
                         int count)
{
    ptrdiff_t stages = arrlen(script->stages);
    for (ptrdiff_t i = 0; i <= stages; i++) {
        if (i == script->marker)
            put_styles(out, styles, waves, count, script->marker_equal);
        if (i == stages)
            break;
        if (i != light_stage)
            put_stage(out, &script->stages[i], NULL, NULL);
        else
            put_light(out, &script->stages[i], light, false);
    }
}

/* Styles go where q3map_styleMarker is. Without one: style lightmaps are added to that of the page
 * before the image is blended over both, so the lightmap stage must come first; where it comes
 * second it is swapped with an opaque first stage. */
static bool put_stages(struct bytes *out, const struct script *script, const char *light,
                       const char *const *styles, const char *const *waves, int count)
{
    ptrdiff_t at = 0, stages = arrlen(script->stages);
    while (at < stages && !shows_light(&script->stages[at]))
        at++;
    if (at == stages)
        return false;
    const struct shader_stage *stage = &script->stages[at], *first = &script->stages[0];
    if (count == 0 || script->marker >= 0) {
        put_in_order(out, script, at, light, styles, waves, count);
        return true;
    }
    bool opaque = at == 0 && !line_of(stage, "blendFunc");
    bool behind = at == 1 && multiplies(stage) && !line_of(first, "blendFunc") &&
                  !line_of(first, "alphaFunc");
    if (!opaque && !behind)
        return false;
    put_light(out, stage, light, true);
    put_styles(out, styles, waves, count, false);
    if (behind)
        put_stage(out, first, "blendFunc", "blendFunc GL_DST_COLOR GL_ZERO");
    for (ptrdiff_t i = at + 1; i < stages; i++)
        put_stage(out, &script->stages[i], NULL, NULL);
    return true;
}

static void put_outer(struct bytes *out, const struct script *script, const char *image)
{
    bool has_image = false;
    for (ptrdiff_t i = 0; i < arrlen(script->outer); i++) {
        const struct shader_directive *line = &script->outer[i];
        has_image = has_image || is_word(line, "qer_editorImage");
        bytes_append_text(out, "\t%s%s%s\n", line->words[0], line->rest[0] ? " " : "", line->rest);
    }
    if (!has_image)
        bytes_append_text(out, "\tqer_editorImage %s\n", image);
}

/* Appends the text of a copy of shader `from` under the given name. `light`
 * NULL: the page is in the file; else its image. One image and `rgbGen` argument per style. False,
 * and nothing is appended, when its script does not allow that. */
static bool quake3_external_shader_text(struct quake3_light *q, const struct bsp_shader *from,
                                        const char *name, const char *light,
                                        const char *const *styles, const char *const *waves,
                                        int style_count, struct bytes *out)
{
    char original[SHADER_NAME + 1] = {0};
    struct script script = {.marker = -1};
    struct bytes text = {0};
    memcpy(original, from->name, SHADER_NAME);
    bool made = true, scripted = read_script(q, original, &script);
    bytes_append_text(&text, "%s\n{\n", name);
    put_outer(&text, &script, original);
    if (scripted)
        made = put_stages(&text, &script, light, styles, waves, style_count);
    else
        put_plain(&text, original, light, styles, waves, style_count);
    bytes_append_text(&text, "}\n");
    if (made)
        bytes_append(out, text.data, text.size);
    bytes_free(&text);
    for (ptrdiff_t i = 0; i < arrlen(script.stages); i++)
        arrfree(script.stages[i].lines);
    arrfree(script.stages);
    arrfree(script.outer);
    return made;
}

/* --- external pages --- */

enum {
    NAME_MAX = 40, /* of the map, in names of shaders, which have at most 63 characters */
};

/* An external lightmap page: a square image. */
struct external_page {
    int page, style; /* number of the page, and the style whose light it holds, or
                        EXTERNAL_DIRECTIONS */
    uint8_t *pixels; /* heap, 3 * side * side, top row first */
};

/* A shader that shows external pages. */
struct external_shader {
    int from, page, style_count; /* `from`: the shader of the bsp that it replaces */
    uint8_t styles[BSP_FACE_STYLES];
    int shader; /* its number; -1: not possible */
};

/* The rgbGen wave of a style without a worldspawn key. */
static const char default_wave[] = "wave noise 0.5 0.5 0 8";

/* ---- names ---- */

/* Length of the path up to the file name. */
static size_t folder_length(const char *path)
{
    return (size_t)(path_name(path) - path);
}

static const char *name_of_map(struct arena *arena, const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    return arena_printf(arena, "%.*s", (int)(length < NAME_MAX ? length : NAME_MAX), name);
}

static const char *image_folder(const struct quake3_light *q)
{
    const char *asked = q->options->quake3.lightmap_folder;
    return asked ? asked : q->map_name;
}

/* Beside the map; the engine finds it by image_name. */
static const char *image_file(struct quake3_light *q, int number)
{
    const char *path = q->options->quake3.map_path;
    return arena_printf(&q->arena, "%.*s%s/lm_%04d.tga", (int)folder_length(path), path,
                        image_folder(q), number);
}

static const char *image_name(struct quake3_light *q, int number)
{
    return arena_printf(&q->arena, "maps/%s/lm_%04d.tga", image_folder(q), number);
}

/* Returns true if the working directory is the maps folder, for a path without one. */
static bool is_in_maps(struct quake3_light *q, const char *path)
{
    static const char *const endings[] = {"bsp", "map"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; i < 2 && dot; i++) {
        const char *there =
            arena_printf(&q->arena, "../maps/%.*s%s", (int)(dot + 1 - path), path, endings[i]);
        if (q->env->fs->ops->kind(q->env->fs, there) == FS_FILE)
            return true;
    }
    return false;
}

/* In the scripts folder beside maps; for maps elsewhere in a folder below their own. */
static const char *script_file(struct quake3_light *q)
{
    const char *path = q->options->quake3.map_path;
    size_t folder = folder_length(path), up = folder;
    if (folder == 0 && is_in_maps(q, path))
        return arena_printf(&q->arena, "../scripts/q3map2_%s.shader", q->map_name);
    while (up > 0 && path[up - 1] == '/')
        up--;
    bool in_maps =
        up >= 4 && strncmp(path + up - 4, "maps", 4) == 0 && (up == 4 || path[up - 5] == '/');
    return arena_printf(&q->arena, "%.*sscripts/q3map2_%s.shader", (int)(in_maps ? up - 4 : folder),
                        path, q->map_name);
}

/* A folder of that name lies beside the map, and shader scripts can name it. */
static bool is_plain_name(const char *name)
{
    return *name && *name != '.' && strlen(name) <= NAME_MAX && !strpbrk(name, "/\\:\" \t\n{}");
}

static const char *folder_of(struct quake3_light *q, const char *name)
{
    return arena_printf(&q->arena, "%.*s", (int)folder_length(name) - 1, name);
}

/* ---- pages and shaders ---- */

enum status quake3_open_external(struct quake3_light *q)
{
    const struct quake3_options *own = &q->options->quake3;
    int side = own->lightmap_size > 0 ? own->lightmap_size : bsp_page_side(q->bsp);
    q->page_side = side;
    q->external = own->external || side != bsp_page_side(q->bsp);
    if (!bsp_can_be_page_side(side))
        return diag_report(q->env->diag, DIAG_PAGE_SIDE, NULL, "%d, must be " PAGE_SIDES, side);
    if (own->map_path && strcmp(own->map_path, "-") != 0)
        q->map_name = name_of_map(&q->arena, own->map_path);
    else if (q->external)
        return diag_report(q->env->diag, DIAG_PAGES_NOWHERE, NULL,
                           "the map is written to standard output");
    q->takes_styles = q->map_name || quake3_has_styles(q);
    if (!q->map_name)
        return STATUS_OK;
    if (own->lightmap_folder && !is_plain_name(own->lightmap_folder))
        return diag_report(q->env->diag, DIAG_PAGES_NOWHERE, NULL,
                           "\"%s\" is not the name of a folder", own->lightmap_folder);
    if (q->external) {
        TRY(fs_prepare_folder(q->env->fs, q->env->diag, folder_of(q, image_file(q, 0))));
        TRY(fs_prepare_folder(q->env->fs, q->env->diag, folder_of(q, script_file(q))));
    }
    const char *made = arena_printf(&q->arena, "%s/lm_", q->map_name);
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->shaders); i++)
        if (strncmp(q->bsp->shaders[i].name, made, strlen(made)) == 0)
            return diag_report(q->env->diag, DIAG_PAGES_TWICE, NULL, "shader %td is \"%.63s\"", i,
                               q->bsp->shaders[i].name);
    return STATUS_OK;
}

static int find_page(const struct quake3_light *q, int page, int style)
{
    for (ptrdiff_t i = 0; i < arrlen(q->external_pages); i++)
        if (q->external_pages[i].page == page && q->external_pages[i].style == style)
            return (int)i;
    return -1;
}

uint8_t *quake3_external_page(struct quake3_light *q, int page, int style)
{
    int at = find_page(q, page, style);
    if (at < 0) {
        struct external_page made = {page, style, NULL};
        made.pixels = memory_zalloc(3 * (size_t)q->page_side, (size_t)q->page_side);
        at = (int)arrlen(q->external_pages);
        arrput(q->external_pages, made);
    }
    return q->external_pages[at].pixels;
}

/* The rgbGen argument of a style, and the alphaGen line if it has one, from worldspawn keys. */
static const char *wave_of(struct quake3_light *q, int style)
{
    const struct entity *world = entity_view_world(q->entities);
    if (!world)
        return default_wave;
    const char *rgb = entity_value(world, arena_printf(&q->arena, "_style%drgbgen", style));
    const char *alpha = entity_value(world, arena_printf(&q->arena, "_style%dalphagen", style));
    rgb = rgb[0] ? rgb : default_wave;
    return alpha[0] ? arena_printf(&q->arena, "%s\n\t\talphaGen %s", rgb, alpha)
                    : arena_printf(&q->arena, "%s", rgb);
}

static int make_shader(struct quake3_light *q, const struct external_shader *wanted)
{
    struct bsp_shader shader = q->bsp->shaders[wanted->from];
    const char *images[BSP_FACE_STYLES] = {0}, *waves[BSP_FACE_STYLES] = {0};
    int base = q->external ? find_page(q, wanted->page, 0) : -1;
    for (int i = 0; i < wanted->style_count; i++) {
        images[i] = image_name(q, find_page(q, wanted->page, wanted->styles[i]));
        waves[i] = wave_of(q, wanted->styles[i]);
    }
    memset(shader.name, 0, sizeof shader.name);
    snprintf(shader.name, sizeof shader.name, "%s/lm_%04d_%td", q->map_name, wanted->page,
             arrlen(q->external_shaders));
    if (!quake3_external_shader_text(q, &q->bsp->shaders[wanted->from], shader.name,
                                     base >= 0 ? image_name(q, base) : NULL, images, waves,
                                     wanted->style_count, &q->external_script))
        return -1;
    arrput(q->bsp->shaders, shader);
    return (int)arrlen(q->bsp->shaders) - 1;
}

int quake3_external_shader(struct quake3_light *q, int from, int page, const uint8_t *styles,
                           int style_count)
{
    struct external_shader wanted = {.from = from, .page = page, .style_count = style_count};
    memcpy(wanted.styles, styles, (size_t)style_count);
    for (ptrdiff_t i = 0; i < arrlen(q->external_shaders); i++) {
        const struct external_shader *at = &q->external_shaders[i];
        if (at->from == from && at->page == page && at->style_count == style_count &&
            memcmp(at->styles, wanted.styles, sizeof at->styles) == 0)
            return at->shader;
    }
    wanted.shader = make_shader(q, &wanted);
    arrput(q->external_shaders, wanted);
    return wanted.shader;
}

/* ---- files ---- */

/* Removes surplus images of an earlier run. */
static void remove_older(struct quake3_light *q)
{
    struct fs *fs = q->env->fs;
    for (int i = (int)arrlen(q->external_pages);; i++) {
        const char *name = image_file(q, i);
        if (fs->ops->kind(fs, name) != FS_FILE || fs->ops->remove(fs, name) != 0)
            return;
    }
}

static enum status store(struct quake3_light *q, const char *name, const struct bytes *data)
{
    /* An error here shows up when the file is written. */
    (void)q->env->fs->ops->make_folder(q->env->fs, folder_of(q, name));
    return env_store(q->env, name, data->data, data->size);
}

enum status quake3_write_external(struct quake3_light *q)
{
    if (!arrlen(q->external_pages))
        return STATUS_OK;
    for (ptrdiff_t i = 0; i < arrlen(q->external_pages); i++) {
        struct bytes image = {0};
        tga_encode(q->external_pages[i].pixels, q->page_side, q->page_side, TGA_RGB, &image);
        enum status status = store(q, image_file(q, (int)i), &image);
        bytes_free(&image);
        TRY(status);
    }
    remove_older(q);
    progress_count(q->env->progress, "external lightmaps", arrlen(q->external_pages));
    return store(q, script_file(q), &q->external_script);
}

void quake3_free_external(struct quake3_light *q)
{
    for (ptrdiff_t i = 0; i < arrlen(q->external_pages); i++)
        memory_free(q->external_pages[i].pixels);
    arrfree(q->external_pages);
    arrfree(q->external_shaders);
    bytes_free(&q->external_script);
}
