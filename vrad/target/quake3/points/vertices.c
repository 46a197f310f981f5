/* Vertex lighting: surfaces with luxels take theirs, models and those without
 * shadows are lit at their vertices. */
#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/farm/env_loop.h"
#include "vrad/target/quake3/level/dirt.h"
#include "vrad/target/quake3/level/dirt_options.h"
#include "vrad/target/quake3/level/level.h"
#include "vrad/target/quake3/pages/pages.h"
#include "vrad/target/quake3/points/points.h"

/* Points are lifted by this above their surface, and moved inwards. */
#define VERTEX_LIFT 1.0

/* -novertex 1: half of white, as in q3map2. */
#define LEVEL_OF_1 127.5

enum { STYLE_FLOATS = 3 * IRRADIANCE_STYLES };

struct job {
    struct quake3_light *q;
    const struct irradiance_sampler *sampler;
    struct tone tone;
};

static void set_colour(const struct job *job, const struct quake3_material *material,
                       const float light[3], uint8_t colour[3])
{
    float max[3];
    double level = job->q->options->quake3.vertex_level;
    double scale =
        material->shader && material->shader->vertex_scale > 0 ? material->shader->vertex_scale : 1;
    scale *= job->q->options->quake3.vertex_scale;
    for (int k = 0; k < 3 && level <= 1; k++)
        colour[k] = (uint8_t)(LEVEL_OF_1 * level);
    if (level <= 1)
        return;
    for (int k = 0; k < 3; k++)
        max[k] = (float)portable_fmax((double)light[k] * scale, job->q->min_vertex.e[k]);
    quake3_bytes(&job->tone, max, colour);
}

static bool has_flag(const struct quake3_material *material, enum shader_compile flag)
{
    return material->shader && material->shader->compile_flags & (int)flag;
}

/* Bilinear interpolation of the luxels. */
static void colour_between(const struct receiver *receiver, const double st[2], float out[3])
{
    const int size[2] = {receiver->light.width, receiver->light.height};
    int low[2], high[2];
    float part[2];
    for (int k = 0; k < 2; k++) {
        double at = portable_fmin(portable_fmax(st[k], 0), size[k] - 1);
        low[k] = (int)at;
        high[k] = low[k] + 1 < size[k] ? low[k] + 1 : low[k];
        part[k] = (float)(at - low[k]);
    }
    for (int k = 0; k < 3; k++) {
        const float *c = receiver->colours + k;
        float top = c[3 * (low[1] * size[0] + low[0])] * (1 - part[0]) +
                    c[3 * (low[1] * size[0] + high[0])] * part[0];
        float below = c[3 * (high[1] * size[0] + low[0])] * (1 - part[0]) +
                      c[3 * (high[1] * size[0] + high[0])] * part[0];
        out[k] = top * (1 - part[1]) + below * part[1];
    }
}

static struct vec3 middle_of(const struct quake3_light *q, int number)
{
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < surface->vertex_count; i++)
        sum = vec3_add(sum, vec3_from_floats(q->bsp->draw_vertices[surface->first_vertex + i].p));
    return vec3_add(vec3_scale(sum, 1.0 / surface->vertex_count),
                    q->origins[q->surfaces[number].model]);
}

/* Moves a vertex off its surface, and along it towards the middle: on a wall where the surface ends
 * it would be in the dark. */
static struct vec3 lifted(struct vec3 point, struct vec3 normal, struct vec3 middle)
{
    struct vec3 way = vec3_sub(middle, point);
    way = vec3_mad(way, normal, -vec3_dot(way, normal));
    double length = vec3_length(way);
    if (vec3_is_finite(way) && length > VERTEX_LIFT)
        point = vec3_mad(point, way, VERTEX_LIFT / length);
    return vec3_mad(point, normal, VERTEX_LIFT);
}

/* Floodlight of the world and of a material. */
static void add_flood(const struct job *job, const struct quake3_material *material,
                      const struct irradiance_point *point, float out[3])
{
    const struct quake3_light *q = job->q;
    const struct open_light lights[] = {q->flood, quake3_flood_of(q, material)};
    for (int i = 0; i < 2; i++) {
        if (!(lights[i].distance > 0))
            continue;
        float share =
            open_light_at_point(&lights[i], &q->scene, point->position, point->normal, point->seed);
        for (int k = 0; k < 3; k++)
            out[k] += share * (float)lights[i].colour.e[k];
    }
}

/* `styles` as of irradiance_at_point, or NULL. */
static void irradiance_point(const struct job *job, int surface, int index, struct vec3 middle,
                             float *styles, float out[3])
{
    struct quake3_light *q = job->q;
    const struct bsp_surface *from = &q->bsp->surfaces[surface];
    const struct bsp_draw_vertex *vertex = &q->bsp->draw_vertices[from->first_vertex + index];
    struct vec3 normal = vec3_from_floats(vertex->normal);
    const struct quake3_material *material = q->surfaces[surface].material;
    const struct surface_note *note = quake3_note(q, surface);
    const struct quake3_options *own = &q->options->quake3;
    struct irradiance_point point = {.seed = hash_pair((uint64_t)surface, (uint64_t)index),
                                     .no_shadows = has_flag(material, SHADER_NO_VERTEX_SHADOWS) ||
                                                   (note && note->receive_shadows == 0) ||
                                                   own->no_trace,
                                     .no_sun_shadows = own->no_trace};
    if (!vec3_is_finite(normal) || !(vec3_length(normal) > 0.1))
        normal = vec3(0, 0, 1);
    point.normal = vec3_normalize(normal);
    point.position = vec3_add(vec3_from_floats(vertex->p), q->origins[q->surfaces[surface].model]);
    if (!vec3_is_finite(point.position))
        return;
    point.position = lifted(point.position, point.normal, middle);
    const struct bsp_leaf *leaf = &q->bsp->leaves[bsp_leaf_at(q->bsp, 0, point.position)];
    point.viewer = (struct prop_viewer){.prop = -1, .area = leaf->area};
    point.cluster = leaf->cluster;
    struct point_irradiance light;
    irradiance_at_point(job->sampler, &point, styles, &light);
    float open = own->bounce_only ? 0 : 1, lit = 1;
    const struct vec3 ambient = quake3_ambient_of(q, surface);
    const struct occlusion_options dirt = quake3_dirt(q->options, 0);
    if (own->dirt->on && !has_flag(material, SHADER_NO_DIRTY))
        lit = occlusion_at_point(&dirt, &q->scene, point.position, point.normal, point.seed);
    for (int k = 0; k < 3; k++)
        out[k] = lit * (open * light.direct[k] + light.indirect[k]) + (float)ambient.e[k];
    for (int k = 0; styles && k < STYLE_FLOATS; k++)
        styles[k] *= lit * open;
    if (!own->bounce_only)
        add_flood(job, material, &point, out);
}

/* The style above 0 with most light at the vertices, without those that the surface has; 0:
 * none. */
static int next_style(const struct bsp_surface *surface, const float *styles)
{
    int next = 0;
    float max = 0;
    for (int style = 1; style < IRRADIANCE_STYLES; style++) {
        float sum = 0;
        for (int i = 0; i < surface->vertex_count; i++)
            for (int k = 0; k < 3; k++)
                sum += styles[i * STYLE_FLOATS + 3 * style + k];
        if (sum > max && !memchr(surface->vertex_styles, style, BSP_FACE_STYLES)) {
            max = sum;
            next = style;
        }
    }
    return next;
}

/* The light of styles at the vertices of a surface without luxels. */
static void store_styles(const struct job *job, struct bsp_surface *surface,
                         const struct quake3_material *material, const float *styles)
{
    memset(surface->vertex_styles + 1, BSP_STYLE_NONE, MORE_STYLES);
    int style;
    for (int k = 0; k < MORE_STYLES && (style = next_style(surface, styles)) > 0; k++) {
        surface->vertex_styles[k + 1] = (uint8_t)style;
        for (int i = 0; i < surface->vertex_count; i++) {
            struct bsp_draw_vertex *vertex = &job->q->bsp->draw_vertices[surface->first_vertex + i];
            set_colour(job, material, styles + i * STYLE_FLOATS + 3 * style,
                       vertex->more_colour[k]);
            vertex->more_colour[k][3] = vertex->colour[3];
        }
    }
}

/* The light of styles above 0 that the luxels of a surface have. */
static void light_styles(const struct job *job, int number, const struct lit_surface *lit)
{
    struct quake3_light *q = job->q;
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    int numbers[BSP_FACE_STYLES], count = quake3_styles_of(q, lit->receiver, numbers);
    struct receiver styled = q->receivers[lit->receiver];
    for (int k = 0; k < count && k < MORE_STYLES; k++) {
        styled.colours = quake3_style_colours(q, lit->receiver, numbers[k]);
        for (int i = 0; i < surface->vertex_count; i++) {
            struct bsp_draw_vertex *vertex = &q->bsp->draw_vertices[surface->first_vertex + i];
            float light[3] = {0, 0, 0};
            double st[2];
            quake3_luxel_at(q, number, i, st);
            colour_between(&styled, st, light);
            set_colour(job, lit->material, light, vertex->more_colour[k]);
            vertex->more_colour[k][3] = vertex->colour[3];
        }
        memory_free(styled.colours);
    }
}

/* From the luxels of the surface. */
static void take_luxels(const struct job *job, int number, const struct lit_surface *lit)
{
    struct quake3_light *q = job->q;
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    for (int i = 0; i < surface->vertex_count; i++) {
        float light[3] = {0, 0, 0};
        double st[2];
        quake3_luxel_at(q, number, i, st);
        colour_between(&q->receivers[lit->receiver], st, light);
        set_colour(job, lit->material, light,
                   q->bsp->draw_vertices[surface->first_vertex + i].colour);
    }
    if (surface->vertex_styles[1] != surface->vertex_styles[0])
        light_styles(job, number, lit);
}

static void light_vertices(const struct job *job, int number, const struct lit_surface *lit)
{
    struct quake3_light *q = job->q;
    struct bsp_surface *surface = &q->bsp->surfaces[number];
    const struct vec3 middle = middle_of(q, number);
    float *styles = NULL;
    if (q->bsp->engine->light.has_styles)
        styles = memory_zalloc((size_t)surface->vertex_count, STYLE_FLOATS * sizeof *styles);
    for (int i = 0; i < surface->vertex_count; i++) {
        float light[3] = {0, 0, 0};
        irradiance_point(job, number, i, middle, styles ? styles + i * STYLE_FLOATS : NULL, light);
        set_colour(job, lit->material, light,
                   q->bsp->draw_vertices[surface->first_vertex + i].colour);
    }
    if (styles)
        store_styles(job, surface, lit->material, styles);
    memory_free(styles);
}

static void light_surface(void *context, size_t number, int thread)
{
    (void)thread;
    struct job *job = context;
    struct quake3_light *q = job->q;
    const struct lit_surface *lit = &q->surfaces[number];
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    if (!lit->material->drawn || surface->type >= SURFACE_FLARE ||
        has_flag(lit->material, SHADER_NO_VERTEX_LIGHT))
        return;
    const struct receiver *receiver = lit->receiver >= 0 ? &q->receivers[lit->receiver] : NULL;
    if (has_flag(lit->material, SHADER_NO_VERTEX_SHADOWS))
        receiver = NULL;
    if (receiver && receiver->colours)
        take_luxels(job, (int)number, lit);
    else
        light_vertices(job, (int)number, lit);
}

static void pack_vertex(const struct bsp_draw_vertex *vertex, struct bytes *out)
{
    bytes_append(out, vertex->colour, sizeof vertex->colour);
    bytes_append(out, vertex->more_colour, sizeof vertex->more_colour);
}

static void unpack_vertex(struct bsp_draw_vertex *vertex, struct byte_reader *from)
{
    read_into(from, vertex->colour, sizeof vertex->colour);
    read_into(from, vertex->more_colour, sizeof vertex->more_colour);
}

/* A ranks_pack. */
static void pack_surface(void *context, size_t number, struct bytes *out)
{
    const struct bsp *bsp = ((const struct job *)context)->q->bsp;
    const struct bsp_surface *surface = &bsp->surfaces[number];
    bytes_append(out, surface->vertex_styles, sizeof surface->vertex_styles);
    for (int i = 0; i < surface->vertex_count; i++)
        pack_vertex(&bsp->draw_vertices[surface->first_vertex + i], out);
}

/* A ranks_unpack. */
static void unpack_surface(void *context, size_t number, struct byte_reader *from)
{
    struct bsp *bsp = ((const struct job *)context)->q->bsp;
    struct bsp_surface *surface = &bsp->surfaces[number];
    read_into(from, surface->vertex_styles, sizeof surface->vertex_styles);
    for (int i = 0; i < surface->vertex_count; i++)
        unpack_vertex(&bsp->draw_vertices[surface->first_vertex + i], from);
}

void quake3_light_vertices(struct quake3_light *q, const struct irradiance_sampler *sampler)
{
    struct job job = {q, sampler, quake3_tone_points(q)};
    if (q->options->quake3.vertex_level < 0)
        return;
    progress_begin(q->env->progress, "vertex light", 1);
    env_loop(q->env, &(struct ranks_loop){.count = arrlenu(q->bsp->surfaces),
                                          .item = light_surface,
                                          .context = &job,
                                          .pack = pack_surface,
                                          .unpack = unpack_surface});
    progress_end(q->env->progress);
}
