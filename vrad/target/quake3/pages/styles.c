/* Light of styles above 0, at the coordinates of style 0 in pages of its own: in the file, if the
 * game has styles there, otherwise in external pages, where one lightmap coordinate per vertex is
 * enough. */
#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diag/codes/lightmap_pages.def"
#include "vrad/encode/lightmap.h"
#include "vrad/target/quake3/pages/pages.h"

/* Light below this, of 255, in all channels counts as none. */
#define MIN_STYLED 0.5f

static bool is_bright(const struct receiver *receiver, const float *light, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (light[3 * i + k] >= MIN_STYLED && quake3_is_used(receiver, i))
                return true;
    return false;
}

int quake3_styles_of(const struct quake3_light *q, int receiver, int numbers[BSP_FACE_STYLES])
{
    const struct face_light *face = &q->map.faces[receiver];
    int count = 0;
    if (q->options->quake3.bounce_only) /* of style 0 alone */
        return 0;
    for (int i = 1; i < face->style_count && q->receivers[receiver].stored; i++)
        if (is_bright(&q->receivers[receiver], face->direct[i], face->count))
            numbers[count++] = i;
    return count;
}

bool quake3_has_styles(const struct quake3_light *q)
{
    return q->bsp->engine->light.has_styles && !q->external;
}

float *quake3_style_colours(const struct quake3_light *q, int receiver, int style)
{
    const struct face_light *face = &q->map.faces[receiver];
    const struct lightmap_options options = {.scale = 1};
    float *colours = memory_alloc(3 * (size_t)face->count * sizeof *colours);
    lightmap_colours(face, &options, 0, style, 0, colours);
    quake3_filter_luxels(q, receiver, colours);
    return colours;
}

/* The page of a style in the file; added if needed, with the directions of the page of style 0. */
static int page_of_style(struct quake3_light *q, int page, int style)
{
    for (int i = 0; i < (int)arrlen(q->style_pages); i++)
        if (q->style_pages[i].page == page && q->style_pages[i].style == style)
            return q->style_pages[i].number;
    const size_t bytes = bsp_page_bytes(q->bsp), each = (size_t)quake3_pages_each(q);
    const int number = (int)(bsp_page_count(q->bsp) / each);
    uint8_t *added = quake3_page_in_file(q, number);
    if (each > 1)
        memcpy(added + bytes, quake3_page_in_file(q, page) + bytes, bytes);
    arrput(q->style_pages, ((struct style_page){page, style, number}));
    return number;
}

static uint8_t *texels_of_style(struct quake3_light *q, int page, int style)
{
    if (quake3_has_styles(q))
        return quake3_page_in_file(q, page_of_style(q, page, style));
    return quake3_external_page(q, page, style);
}

static void store_style(struct quake3_light *q, int number, int style, const struct tone *plain)
{
    const struct receiver *receiver = &q->receivers[number];
    struct tone tone = quake3_tone_of(q, receiver, plain);
    const struct face_light *face = &q->map.faces[number];
    float *colours = quake3_style_colours(q, number, style);
    uint8_t *pixels = texels_of_style(q, receiver->page, face->styles[style]);
    for (int i = 0; i < face->count; i++) {
        int s = receiver->place[0] + i % face->width, t = receiver->place[1] + i / face->width;
        if (quake3_is_used(receiver, i))
            quake3_bytes(&tone, colours + 3 * (size_t)i,
                         pixels + 3 * ((size_t)t * (size_t)q->page_side + (size_t)s));
    }
    memory_free(colours);
}

void quake3_store_styles(struct quake3_light *q)
{
    struct tone tone =
        quake3_has_styles(q) ? quake3_tone(q->options) : quake3_tone_external(q->options);
    int numbers[BSP_FACE_STYLES];
    for (int i = 0; i < (int)arrlen(q->receivers); i++) {
        int count = quake3_styles_of(q, i, numbers);
        for (int k = 0; k < count; k++)
            store_style(q, i, numbers[k], &tone);
    }
}

/* Sets the pages of the styles, which are at the coordinates of style 0. */
static void show_in_file(struct quake3_light *q, struct bsp_surface *at, int receiver)
{
    const struct receiver *from = &q->receivers[receiver];
    int numbers[BSP_FACE_STYLES], count = quake3_styles_of(q, receiver, numbers);
    for (int k = 0; k < count && k < MORE_STYLES; k++) {
        const uint8_t style = q->map.faces[receiver].styles[numbers[k]];
        at->light_styles[k + 1] = at->vertex_styles[k + 1] = style;
        at->more_lightmap[k] = page_of_style(q, from->page, style) * quake3_pages_each(q);
        for (int axis = 0; axis < 2; axis++)
            at->more_start[axis][k] = from->place[axis];
        for (int i = 0; i < at->vertex_count; i++) {
            struct bsp_draw_vertex *vertex = &q->bsp->draw_vertices[at->first_vertex + i];
            memcpy(vertex->more_lightmap[k], vertex->lightmap, sizeof vertex->lightmap);
        }
    }
}

/* A surface whose shader cannot show styles keeps style 0 only. */
static void show_external(struct quake3_light *q, int surface)
{
    struct bsp_surface *at = &q->bsp->surfaces[surface];
    int receiver = q->surfaces[surface].receiver, numbers[BSP_FACE_STYLES];
    int count = quake3_styles_of(q, receiver, numbers);
    uint8_t styles[BSP_FACE_STYLES];
    for (int i = 0; i < count; i++)
        styles[i] = q->map.faces[receiver].styles[numbers[i]];
    if (!q->external && count == 0)
        return;
    int page = q->receivers[receiver].page,
        shader = quake3_external_shader(q, at->shader, page, styles, count);
    if (shader < 0 && count > 0) {
        struct diag_where where = {.has_point = true};
        const float *p = q->bsp->draw_vertices[at->first_vertex].p;
        for (int k = 0; k < 3; k++)
            where.point[k] = (double)p[k];
        diag_report(q->env->diag, DIAG_STYLE_UNSEEN, &where, "\"%.63s\"",
                    q->bsp->shaders[at->shader].name);
        if (q->external)
            shader = quake3_external_shader(q, at->shader, page, styles, 0);
    }
    if (shader >= 0)
        at->shader = shader;
    /* A game that knows deluxemaps reads the images by this number. */
    if (q->external && !q->options->quake3.deluxe)
        at->lightmap = -3;
}

void quake3_show_styles(struct quake3_light *q, int surface)
{
    if (quake3_has_styles(q))
        show_in_file(q, &q->bsp->surfaces[surface], q->surfaces[surface].receiver);
    else
        show_external(q, surface);
}
