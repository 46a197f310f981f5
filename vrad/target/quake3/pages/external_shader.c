/* Shaders that show external lightmaps: copies of the originals with the $lightmap stage
 * replaced. */
#include <string.h>

#include "common/assets/assets.h"
#include "common/assets/shaders/shader_script.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vrad/target/quake3/pages/pages.h"

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

bool quake3_external_shader_text(struct quake3_light *q, const struct bsp_shader *from,
                                 const char *name, const char *light, const char *const *styles,
                                 const char *const *waves, int style_count, struct bytes *out)
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
