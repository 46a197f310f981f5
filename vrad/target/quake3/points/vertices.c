/* Vertex lighting: surfaces with luxels take theirs, models and those without
 * shadows are lit at their vertices. */
#include <math.h>
#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/flags.h"
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
    const struct irradiance_sampler *sampler, *sky; /* of all light; but for what bounces */
    struct tone tone;
};

static void set_colour(const struct job *job, const struct quake3_material *material,
                       const float light[3], uint8_t colour[3])
{
    float max[3];
    double level = fabs(job->q->options->quake3.vertex_level);
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

/* Bilinear interpolation of 3 numbers of each luxel. */
static void colour_between(const struct receiver *receiver, const float *colours,
                           const double st[2], float out[3])
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
        const float *c = colours + k;
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

/* Finds out where a position is. */
static void set_place(const struct quake3_light *q, struct irradiance_point *point)
{
    const struct bsp_leaf *leaf = &q->bsp->leaves[bsp_leaf_at(q->bsp, 0, point->position)];
    point->viewer = (struct prop_viewer){.prop = -1, .area = leaf->area};
    point->cluster = leaf->cluster;
}

/* The light at a position of a surface, for a normal that is set. `styles` as of
 * irradiance_at_point, or NULL. */
static void light_point(const struct job *job, int surface, struct irradiance_point *point,
                        float *styles, float out[3])
{
    struct quake3_light *q = job->q;
    const struct quake3_material *material = q->surfaces[surface].material;
    const struct surface_note *note = quake3_note(q, surface);
    const struct quake3_options *own = &q->options->quake3;
    set_place(q, point);
    point->no_shadows = has_flag(material, SHADER_NO_VERTEX_SHADOWS) ||
                        (note && note->receive_shadows == 0) || own->no_trace;
    point->no_sun_shadows = own->no_trace;
    struct point_irradiance light;
    irradiance_at_point(job->sampler, point, styles, &light);
    float open = own->bounce_only && !point->on_luxels ? 0 : 1, lit = 1;
    const struct vec3 ambient = quake3_ambient_of(q, surface);
    const struct occlusion_options dirt = quake3_dirt(q->options, 0);
    if (own->dirt->on && !has_flag(material, SHADER_NO_DIRTY))
        lit = occlusion_at_point(&dirt, &q->scene, point->position, point->normal, point->seed);
    for (int k = 0; k < 3; k++)
        out[k] = lit * (open * light.direct[k] + light.indirect[k]) + (float)ambient.e[k];
    for (int k = 0; styles && k < STYLE_FLOATS; k++)
        styles[k] *= lit * open;
    if (open > 0)
        add_flood(job, material, point, out);
}

/* The vertex, with its normal. Returns false if it is nowhere. */
static bool point_of(const struct quake3_light *q, int surface, int index,
                     struct irradiance_point *out)
{
    const struct bsp_surface *from = &q->bsp->surfaces[surface];
    const struct bsp_draw_vertex *vertex = &q->bsp->draw_vertices[from->first_vertex + index];
    struct vec3 normal = vec3_from_floats(vertex->normal);
    if (!vec3_is_finite(normal) || !(vec3_length(normal) > 0.1))
        normal = vec3(0, 0, 1);
    *out = (struct irradiance_point){.seed = hash_pair((uint64_t)surface, (uint64_t)index),
                                     .normal = vec3_normalize(normal)};
    out->position = vec3_add(vec3_from_floats(vertex->p), q->origins[q->surfaces[surface].model]);
    return vec3_is_finite(out->position);
}

static void irradiance_point(const struct job *job, int surface, int index, struct vec3 middle,
                             float *styles, float out[3])
{
    struct irradiance_point point;
    if (!point_of(job->q, surface, index, &point))
        return;
    point.position = lifted(point.position, point.normal, middle);
    light_point(job, surface, &point, styles, out);
}

/* ---- corners of surfaces with luxels ---- */

/* A ray starts in solid where this is so after a step of it. */
#define STEP 0.01

struct corner {
    const struct quake3_light *q;
    struct vec3 vertex, middle; /* and that of the surface */
    struct vec3 position;       /* the vertex, lifted off its surface alone */
    bool *closed;               /* set where the sky would be seen but for the edge */
};

static bool in_solid(const struct quake3_light *q, struct vec3 position)
{
    return q->bsp->leaves[bsp_leaf_at(q->bsp, 0, position)].cluster < 0;
}

/* Also of detail. */
static bool in_brush(const struct quake3_light *q, struct vec3 position)
{
    const int leaf = bsp_leaf_at(q->bsp, 0, position);
    return (bsp_brush_contents_at(q->bsp, leaf, position) & Q3_CONTENTS_SOLID) != 0;
}

/* An irradiance_point's `opens`. A corner is on planes of other solids: in front of them lies
 * what they are in front of. */
static bool corner_opens(const void *context, struct vec3 direction)
{
    const struct corner *corner = context;
    const bool opens = !in_solid(corner->q, vec3_mad(corner->position, direction, STEP));
    *corner->closed |= !opens;
    return opens;
}

/* The edge of a shadow lies between luxels whose direct light, as a share of that without shadows,
 * differs by this, where there is some. */
#define EDGE_SHARE 0.1f
#define LIT_SHARE  0.8f
#define LEAST      1.0f

/* Direct light, with shadows and without. */
struct openness {
    float seen, all;
};

static float brightest(const float light[3])
{
    return portable_fmaxf(light[0], portable_fmaxf(light[1], light[2]));
}

static float direct_light(const struct job *job, const struct irradiance_point *point)
{
    struct irradiance_sampler sampler = *job->sampler;
    struct point_irradiance light;
    sampler.rays = 0;
    irradiance_at_point(&sampler, point, NULL, &light);
    return brightest(light.direct);
}

static struct openness openness_of(const struct job *job, const struct irradiance_point *point)
{
    struct irradiance_point bare = *point;
    struct openness out;
    set_place(job->q, &bare);
    bare.opens = NULL;
    out.seen = direct_light(job, &bare);
    bare.no_shadows = bare.no_sun_shadows = true;
    out.all = direct_light(job, &bare);
    return out;
}

static bool is_edge(struct openness a, struct openness b)
{
    return a.all > LEAST && b.all > LEAST && fabsf(a.seen / a.all - b.seen / b.all) > EDGE_SHARE;
}

/* Returns true if a luxel is not as dark as the point over its middle, which may be below what lies
 * close above the surface. */
static bool is_lit(const float direct[3], struct openness middle)
{
    return middle.seen < middle.all && brightest(direct) > LIT_SHARE * middle.all;
}

/* The luxel by its steps from luxel `at`; -1 if there is none, or it is beside the surface. */
static int luxel_beside(const struct job *job, int receiver, const int at[2], int s, int t)
{
    const struct face_light *face = &job->q->map.faces[receiver];
    const int x = at[0] + s, y = at[1] + t, luxel = y * face->width + x;
    if ((!s && !t) || x < 0 || y < 0 || x >= face->width || y >= face->height ||
        !quake3_is_used(&job->q->receivers[receiver], luxel) || !(luxel_area(face, luxel) > 0))
        return -1;
    return luxel;
}

/* Returns true if a shadow ends near luxel `at`, in whose middle the corner is. */
static bool has_shadow_edge(const struct job *job, int number, const struct corner *corner,
                            const int at[2], const struct irradiance_point *point)
{
    const int receiver = job->q->surfaces[number].receiver;
    const struct luxel_receiver *luxels = &job->q->receivers[receiver].light;
    const float *direct = job->q->map.faces[receiver].direct[0];
    const struct openness here = openness_of(job, point);
    struct irradiance_point beside = *point;
    for (int i = 0; i < 9; i++) {
        const int s = i % 3 - 1, t = i / 3 - 1;
        const int luxel = luxel_beside(job, receiver, at, s, t);
        if (luxel < 0)
            continue;
        beside.position = vec3_mad(corner->vertex, luxels->axis[0], s);
        beside.position = vec3_mad(beside.position, luxels->axis[1], t);
        beside.position = lifted(beside.position, point->normal, corner->middle);
        const struct openness there = openness_of(job, &beside);
        if (is_edge(here, there) && !is_lit(direct + 3 * (size_t)luxel, there))
            return true;
    }
    return false;
}

/* Adds the light at the middles of a luxel's quarters that are not in solid; that of lamps unless
 * it is in the first row or column. Returns their count. */
static int add_quarters(const struct job *job, int number, const struct corner *corner,
                        const int at[2], struct irradiance_point point, float out[3])
{
    const struct luxel_receiver *luxels =
        &corner->q->receivers[corner->q->surfaces[number].receiver].light;
    int count = 0;
    point.opens = NULL;
    point.no_local = at[0] == 0 || at[1] == 0;
    for (int i = 0; i < 4; i++) {
        float part[3] = {0, 0, 0};
        point.position = vec3_mad(corner->position, luxels->axis[0], i & 1 ? 0.25 : -0.25);
        point.position = vec3_mad(point.position, luxels->axis[1], i & 2 ? 0.25 : -0.25);
        if (in_solid(corner->q, point.position))
            continue;
        light_point(job, number, &point, NULL, part);
        for (int k = 0; k < 3; k++)
            out[k] += part[k];
        count++;
    }
    return count;
}

/* The column or row of a coordinate, or one beside the surface. */
static int luxel_at(double coordinate, int size)
{
    if (!(coordinate > -1))
        return -1;
    return coordinate < size ? (int)floor(coordinate + 0.5) : size;
}

/* The light of the luxel around a corner, whose coordinates are `st`: that of its middle, which is
 * the corner, and at shadow edges of those of its quarters. Returns false if the corner is in
 * another solid. */
static bool direct_corner(const struct job *job, int number, int index, struct vec3 middle,
                          const double st[2], float out[3])
{
    const struct quake3_light *q = job->q;
    struct irradiance_point point;
    if (!point_of(q, number, index, &point))
        return false;
    bool closed = false;
    const struct corner corner = {q, point.position, middle,
                                  vec3_mad(point.position, point.normal, VERTEX_LIFT), &closed};
    const struct luxel_receiver *luxels = &q->receivers[q->surfaces[number].receiver].light;
    const int at[2] = {luxel_at(st[0], luxels->width), luxel_at(st[1], luxels->height)};
    point.position = lifted(point.position, point.normal, middle);
    if (in_brush(q, point.position))
        return false;
    point.on_luxels = true;
    point.opens = corner_opens;
    point.context = &corner;
    light_point(job, number, &point, NULL, out);
    const bool one = q->options->quake3.samples == 1;
    if (!closed && (one || !has_shadow_edge(job, number, &corner, at, &point)))
        return q->options->quake3.bounce_only;
    if (one)
        return true;
    const int count = 1 + add_quarters(job, number, &corner, at, point, out);
    for (int k = 0; k < 3; k++)
        out[k] /= (float)count;
    return true;
}

/* Bounced light beside a corner: where rays meet the sky, too, what they meet besides; otherwise
 * that of the luxels. */
static void bounced_light(const struct job *job, int number, int index, struct vec3 middle,
                          const double st[2], float out[3])
{
    const struct quake3_light *q = job->q;
    const int receiver = q->surfaces[number].receiver;
    struct point_irradiance all, sky;
    struct irradiance_point point;
    if (q->lights.sky < 0) {
        colour_between(&q->receivers[receiver], q->map.faces[receiver].indirect, st, out);
        return;
    }
    if (!point_of(q, number, index, &point))
        return;
    point.position = lifted(point.position, point.normal, middle);
    point.no_local = true;
    set_place(q, &point);
    irradiance_at_point(job->sampler, &point, NULL, &all);
    irradiance_at_point(job->sky, &point, NULL, &sky);
    for (int k = 0; k < 3; k++)
        out[k] = all.indirect[k] - sky.indirect[k];
}

/* The direct light and that of the sky, and what bounces. */
static bool light_corner(const struct job *job, int number, int index, struct vec3 middle,
                         const double st[2], float out[3])
{
    const struct quake3_light *q = job->q;
    struct irradiance_sampler sampler = *job->sky;
    struct job direct = *job;
    float bounced[3] = {0, 0, 0};
    if (q->lights.sky < 0)
        sampler.rays = 0;
    direct.sampler = &sampler;
    if (!direct_corner(&direct, number, index, middle, st, out))
        return false;
    if (q->options->bounce > 0 && q->map.faces[q->surfaces[number].receiver].indirect)
        bounced_light(job, number, index, middle, st, bounced);
    for (int k = 0; k < 3; k++)
        out[k] += bounced[k];
    return true;
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
            colour_between(&styled, styled.colours, st, light);
            set_colour(job, lit->material, light, vertex->more_colour[k]);
            vertex->more_colour[k][3] = vertex->colour[3];
        }
        memory_free(styled.colours);
    }
}

static bool has_back(const struct quake3_light *q, int receiver)
{
    for (ptrdiff_t i = 0; i < arrlen(q->backs); i++)
        if (q->backs[i] == receiver)
            return true;
    return false;
}

/* From the luxels of the surface, or as they are at its corners. */
static void take_luxels(const struct job *job, int number, const struct lit_surface *lit)
{
    struct quake3_light *q = job->q;
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    const struct receiver *receiver = &q->receivers[lit->receiver];
    const bool flat = receiver->axis >= 0 && !receiver->light.mesh && !has_back(q, lit->receiver);
    const struct vec3 middle = middle_of(q, number);
    for (int i = 0; i < surface->vertex_count; i++) {
        float light[3] = {0, 0, 0};
        double st[2];
        quake3_luxel_at(q, number, i, st);
        if (!flat || q->options->quake3.filter || !light_corner(job, number, i, middle, st, light))
            colour_between(receiver, receiver->colours, st, light);
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

void quake3_light_vertices(struct quake3_light *q, const struct irradiance_sampler *sampler,
                           const struct irradiance_sampler *sky)
{
    struct job job = {q, sampler, sky, quake3_tone_points(q)};
    progress_begin(q->env->progress, "vertex light", 1);
    env_loop(q->env, &(struct ranks_loop){.count = arrlenu(q->bsp->surfaces),
                                          .item = light_surface,
                                          .context = &job,
                                          .pack = pack_surface,
                                          .unpack = unpack_surface});
    progress_end(q->env->progress);
}
