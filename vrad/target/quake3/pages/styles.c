/* Light of styles above 0, in external pages at the coordinates of style 0, so that one lightmap
 * coordinate per vertex is enough. */
#include <string.h>

#include "common/core/array.h"
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

static void store_style(struct quake3_light *q, int number, int style, const struct tone *plain)
{
    const struct receiver *receiver = &q->receivers[number];
    struct tone tone = quake3_tone_of(q, receiver, plain);
    const struct face_light *face = &q->map.faces[number];
    const struct lightmap_options options = {.scale = 1};
    float *colours = memory_alloc(3 * (size_t)face->count * sizeof *colours);
    lightmap_colours(face, &options, 0, style, 0, colours);
    quake3_filter_luxels(q, number, colours);
    uint8_t *pixels = quake3_external_page(q, receiver->page, face->styles[style]);
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
    struct tone tone = quake3_tone_external(q->options);
    int numbers[BSP_FACE_STYLES];
    for (int i = 0; i < (int)arrlen(q->receivers); i++) {
        int count = quake3_styles_of(q, i, numbers);
        for (int k = 0; k < count; k++)
            store_style(q, i, numbers[k], &tone);
    }
}

/* A surface whose shader cannot show styles keeps style 0 only. */
void quake3_show_external(struct quake3_light *q, int surface)
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
