#include "vrad/luxels/radiosity.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "vrad/luxels/bounced.h"

/* Without light of props their charts are black. */
static void init_charts(struct radiosity *radiosity)
{
    const struct prop_charts *charts = &radiosity->scene->prop_charts;
    size_t first = radiosity_black(radiosity) + 1;
    for (size_t i = 0; i < arrlenu(charts->charts); i++) {
        const struct prop_chart *chart = &charts->charts[i];
        struct radiosity_place *place = &radiosity->places[(size_t)(charts->faces - SCENE_SKY) + i];
        if (radiosity->map->props)
            *place =
                (struct radiosity_place){(uint32_t)first + chart->first,
                                         (int16_t)(chart->width - 1), (int16_t)(chart->height - 1)};
        else
            place->first = (uint32_t)radiosity_black(radiosity);
    }
}

static void init_places(struct radiosity *radiosity)
{
    const struct luxel_map *map = radiosity->map;
    size_t charts = arrlenu(radiosity->scene->prop_charts.charts);
    radiosity->places =
        memory_zalloc((size_t)(map->face_count - SCENE_SKY) + charts, sizeof *radiosity->places);
    for (int i = SCENE_SKY; i < map->face_count; i++) {
        struct radiosity_place *place = &radiosity->places[i - SCENE_SKY];
        const struct face_light *light = i >= 0 ? &map->faces[i] : NULL;
        if (light && light->width > 0)
            *place =
                (struct radiosity_place){(uint32_t)radiosity->first[i], (int16_t)(light->width - 1),
                                         (int16_t)(light->height - 1)};
        else
            place->first =
                (uint32_t)(i == SCENE_SKY ? radiosity_sky(radiosity) : radiosity_black(radiosity));
    }
    init_charts(radiosity);
}

static void init_blocks(struct radiosity *radiosity)
{
    size_t count = radiosity_sky(radiosity), blocks = count / RADIOSITY_BLOCK + 1;
    uint32_t face = 0;
    radiosity->face_of = memory_alloc(blocks * sizeof *radiosity->face_of);
    for (size_t i = 0; i < blocks; i++) {
        while (face + 1 < (uint32_t)radiosity->map->face_count &&
               radiosity->first[face + 1] <= i * RADIOSITY_BLOCK)
            face++;
        radiosity->face_of[i] = face;
    }
}

void radiosity_init(struct radiosity *radiosity, const struct scene *scene,
                    const struct luxel_map *map, struct vec3 sky)
{
    *radiosity = (struct radiosity){.scene = scene, .map = map, .subluxels = map->subluxels};
    size_t count = 0, faces = (size_t)map->face_count;
    radiosity->first = memory_alloc((faces + 1) * sizeof *radiosity->first);
    for (size_t i = 0; i < faces; i++) {
        radiosity->first[i] = count;
        if (map->faces[i].width > 0)
            count += (size_t)map->faces[i].count;
    }
    radiosity->first[faces] = count;
    init_places(radiosity);
    vec3_to_floats(sky, radiosity->sky);
    if (map->narrow) {
        init_blocks(radiosity);
        return;
    }
    radiosity->leaving =
        memory_zalloc(3 * radiosity_count(radiosity) + 1, sizeof *radiosity->leaving);
    memcpy(radiosity->leaving + 3 * count, radiosity->sky, sizeof radiosity->sky);
    radiosity_take_props(radiosity);
}

void radiosity_free(struct radiosity *radiosity)
{
    memory_free(radiosity->first);
    memory_free(radiosity->places);
    memory_free(radiosity->leaving);
    memory_free(radiosity->face_of);
    *radiosity = (struct radiosity){0};
}

void radiosity_evaluate_luxel(const struct radiosity *radiosity, int face, int luxel, float out[3])
{
    const struct face_light *light = &radiosity->map->faces[face];
    bool emits = radiosity->emits;
    const float *direct = emits && light->style_count ? light->direct[0] + 3 * (size_t)luxel : NULL;
    float bounced[3] = {0, 0, 0};
    if (emits && radiosity->bounced)
        radiosity->bounced(radiosity->context, face, luxel, bounced);
    for (size_t k = 0; k < 3; k++)
        out[k] = ((direct ? direct[k] : 0) + bounced[k]) * light->reflectivity[k];
}

/* Of an index beyond the luxels. Subluxels emit like the surfaces that they are parts of. */
static void evaluate_other(const struct radiosity *radiosity, size_t index, float out[3])
{
    size_t black = radiosity_black(radiosity), subluxels = radiosity_subluxel(radiosity, 0);
    const float *light = NULL;
    if (index == radiosity_sky(radiosity))
        light = radiosity->sky;
    else if (index >= subluxels && radiosity->emits)
        light = radiosity->subluxels->leaving + 3 * (index - subluxels);
    else if (index > black && index < subluxels)
        light = radiosity->map->props->leaving + 3 * (index - black - 1);
    for (size_t k = 0; k < 3; k++)
        out[k] = light ? light[k] : 0;
}

void radiosity_evaluate(const struct radiosity *radiosity, size_t index, float out[3])
{
    if (index >= radiosity_sky(radiosity)) {
        evaluate_other(radiosity, index, out);
        return;
    }
    size_t face = radiosity->face_of[index / RADIOSITY_BLOCK];
    while (radiosity->first[face + 1] <= index)
        face++;
    radiosity_evaluate_luxel(radiosity, (int)face, (int)(index - radiosity->first[face]), out);
}

void radiosity_set_face(struct radiosity *radiosity, int face, const float *bounced)
{
    const struct face_light *light = &radiosity->map->faces[face];
    const float *direct = light->style_count ? light->direct[0] : NULL;
    float *leaving = radiosity->leaving + 3 * radiosity->first[face];
    for (size_t i = 0; i < (size_t)light->count; i++) {
        for (size_t k = 0; k < 3; k++) {
            float sum = direct ? direct[3 * i + k] : 0;
            if (bounced)
                sum += bounced[3 * i + k];
            leaving[3 * i + k] = sum * light->reflectivity[k];
        }
    }
}

static void collect_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct radiosity *radiosity = context;
    const struct face_light *light = &radiosity->map->faces[face];
    if (light->width > 0)
        radiosity_set_face(radiosity, (int)face, light->indirect);
}

static void bounced_of_map(const void *context, int face, int luxel, float out[3])
{
    const struct luxel_map *map = context;
    bounced_at(&map->faces[face], 0, luxel, out);
}

void radiosity_collect(struct radiosity *radiosity, int threads)
{
    radiosity->emits = true;
    radiosity->bounced = bounced_of_map;
    radiosity->context = radiosity->map;
    if (!radiosity->leaving)
        return;
    parallel_for(threads, (size_t)radiosity->map->face_count, collect_face, radiosity);
    radiosity_take_subluxels(radiosity);
}

double radiosity_level(const struct radiosity *radiosity, int face, int luxel)
{
    const struct face_light *light = &radiosity->map->faces[face];
    const float *direct = light->style_count ? light->direct[0] + 3 * luxel : NULL;
    const float *leaving;
    float room[3];
    double known = 0, falling = 0;
    leaving = radiosity_at(radiosity, radiosity->first[face] + (size_t)luxel, room);
    for (int k = 0; k < 3; k++) {
        known += direct ? (double)direct[k] : 0;
        falling += light->reflectivity[k] > 0 ? (double)(leaving[k] / light->reflectivity[k]) : 0;
    }
    return portable_fmax(known, falling) / 3;
}

/* In sides of a luxel; the other is the distance to a prop, in units. */
#define NEAR_SIDES 2.0
#define NEAR_PROP  32.0f

bool radiosity_is_near(const struct radiosity *radiosity, const struct scene_hit *hit)
{
    const struct luxel_map *map = radiosity->map;
    if (hit->face < 0)
        return false;
    if (hit->face >= map->face_count)
        return map->props && hit->distance < NEAR_PROP;
    const struct face_light *face = &map->faces[hit->face];
    double square = face->square * NEAR_SIDES * NEAR_SIDES;
    return face->width > 0 && !face->mesh && (double)hit->distance * (double)hit->distance < square;
}

size_t radiosity_sky(const struct radiosity *radiosity)
{
    return radiosity->first[radiosity->map->face_count];
}

size_t radiosity_black(const struct radiosity *radiosity)
{
    return radiosity->first[radiosity->map->face_count] + 1;
}

size_t radiosity_count(const struct radiosity *radiosity)
{
    const struct subluxels *subluxels = radiosity->subluxels;
    return radiosity_subluxel(radiosity, 0) + (subluxels ? subluxels->count : 0);
}

size_t radiosity_subluxel(const struct radiosity *radiosity, size_t subluxel)
{
    const struct prop_radiosity *props = radiosity->map->props;
    return radiosity_black(radiosity) + 1 + (props ? props->count : 0) + subluxel;
}

size_t radiosity_part(const struct radiosity *radiosity, size_t luxel, float s, float t)
{
    const struct subluxels *subluxels = radiosity->subluxels;
    const struct split_luxel *split = &subluxels->luxels[luxel_set_rank(&subluxels->split, luxel)];
    return radiosity_subluxel(radiosity, subluxel_at(split, s, t));
}

size_t radiosity_whole(const struct radiosity *radiosity, size_t seen)
{
    size_t first = radiosity_subluxel(radiosity, 0);
    if (!radiosity->subluxels || seen < first)
        return seen;
    const struct split_luxel *split = subluxels_luxel(radiosity->subluxels, seen - first);
    return radiosity->first[split->face] + (size_t)split->luxel;
}

void radiosity_take_props(struct radiosity *radiosity)
{
    const struct prop_radiosity *props = radiosity->map->props;
    if (props && radiosity->leaving)
        memcpy(radiosity->leaving + 3 * (radiosity_black(radiosity) + 1), props->leaving,
               3 * props->count * sizeof *props->leaving);
}

void radiosity_take_subluxels(struct radiosity *radiosity)
{
    const struct subluxels *subluxels = radiosity->subluxels;
    if (subluxels && radiosity->leaving)
        memcpy(radiosity->leaving + 3 * radiosity_subluxel(radiosity, 0), subluxels->leaving,
               3 * subluxels->count * sizeof *subluxels->leaving);
}

/* Of 16 rays, blocks those to the sky that hit something in the 3D skybox. */
static void trace_skybox(const struct scene *scene, const struct trace_ray *rays, int count,
                         int area, struct scene_hit *hits)
{
    struct trace_packet packet = {0};
    uint32_t lanes = 0;
    for (int i = 0; i < count; i++) {
        if (hits[i].face != SCENE_SKY)
            continue;
        lanes |= 1u << i;
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = rays[i].origin[k];
            packet.direction[k][i] = rays[i].direction[k];
        }
        packet.near[i] = rays[i].near;
        packet.far[i] = rays[i].far;
    }
    uint32_t seen = lanes ? scene_sky16(scene, &packet, lanes, true, area) : 0;
    for (int i = 0; i < count; i++)
        if ((lanes & ~seen) >> i & 1)
            hits[i].face = SCENE_BLANK;
}

void radiosity_trace(const struct radiosity *radiosity, const struct trace_ray *rays, int count,
                     int area, struct scene_hit *hits)
{
    const struct scene *scene = radiosity->scene;
    scene_hit_many(scene, rays, (size_t)count, count >= RADIOSITY_COHERENT_RAYS, hits);
    if (!scene->skybox.present || area == scene->skybox.area)
        return;
    for (int i = 0; i < count; i += TRACE_PACKET) {
        int lanes = count - i < TRACE_PACKET ? count - i : TRACE_PACKET;
        trace_skybox(scene, rays + i, lanes, area, hits + i);
    }
}

/* The same for the lanes of a packet. */
static void hide_sky16(const struct scene *scene, const struct trace_packet *packet, uint32_t valid,
                       int area, struct scene_hit hits[TRACE_PACKET])
{
    if (!scene->skybox.present || area == scene->skybox.area)
        return;
    uint32_t lanes = 0;
    for (int i = 0; i < TRACE_PACKET; i++)
        if (valid >> i & 1 && hits[i].face == SCENE_SKY)
            lanes |= 1u << i;
    uint32_t hidden = lanes ? lanes & ~scene_sky16(scene, packet, lanes, true, area) : 0;
    for (int i = 0; i < TRACE_PACKET; i++)
        if (hidden >> i & 1)
            hits[i].face = SCENE_BLANK;
}

void radiosity_trace_pair16(const struct radiosity *radiosity, const struct trace_packet packets[2],
                            uint32_t valid, bool coherent, const int areas[2],
                            struct scene_hit hits[2 * TRACE_PACKET])
{
    const struct scene *scene = radiosity->scene;
    scene_hit_pair16(scene, packets, valid, coherent, hits);
    for (int i = 0; i < 2; i++)
        hide_sky16(scene, &packets[i], valid >> i * TRACE_PACKET & 0xffff, areas[i],
                   hits + i * TRACE_PACKET);
}
