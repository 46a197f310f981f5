#include "vrad/encode/occlusion.h"

#include <math.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/geom/angle.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/luxels/luxel_state.h"
#include "vrad/scene/hemisphere.h"

enum { RAYS = 64 };

struct occlusion_options occlusion_options_of(const struct vrad_options *options)
{
    double strength = options->occlusion;
    if (options->no_occlusion)
        strength = 0;
    else if (options->ambient_occlusion && strength <= 0)
        strength = 1;
    int packets = (options->occlusion_rays + TRACE_PACKET - 1) / TRACE_PACKET;
    return (struct occlusion_options){
        .strength = strength, .radius = options->occlusion_radius, .rays = packets * TRACE_PACKET};
}

struct job {
    const struct occlusion_options *options;
    const struct open_light *lights; /* one per face */
    struct luxel_map *map;
    struct progress *progress;
};

/* A direction over the hemisphere around z. */
static struct vec3 direction_of(const struct occlusion_options *options, const double square[2])
{
    if (!options->even)
        return square_to_cosine(square);
    double z = 1 - square[0], across = sqrt(1 - z * z), angle = 2 * PI * square[1];
    return vec3(across * portable_cos(angle), across * portable_sin(angle), z);
}

static void make_rays(const struct occlusion_options *options, struct vec3 start,
                      struct vec3 normal, uint64_t seed, int first, struct trace_packet *packet)
{
    struct vec3 x, y;
    frame_around(normal, &x, &y);
    for (int i = 0; i < TRACE_PACKET; i++) {
        double square[2];
        sample_square((uint32_t)(first + i), seed, square);
        struct vec3 way = frame_point(direction_of(options, square), x, y, normal);
        for (int k = 0; k < 3; k++) {
            packet->origin[k][i] = (float)start.e[k];
            packet->direction[k][i] = (float)way.e[k];
        }
        packet->near[i] = 0;
        packet->far[i] = (float)options->radius;
    }
}

/* The occlusion by what a packet of rays meets. */
static float occlusion_of(const struct occlusion_options *options, const struct scene *scene,
                          const struct trace_packet *packet)
{
    struct trace_hit hits[TRACE_PACKET];
    float sum = 0, radius = (float)options->radius;
    uint32_t met = 0;
    trace_closest16(scene->trace, TRACE_SOLID, packet, 0xffff, true, hits);
    for (int i = 0; i < TRACE_PACKET; i++)
        met |= (uint32_t)(hits[i].distance >= 0) << i;
    if (met && options->sky_is_open && scene->has_sky) {
        struct trace_packet before = *packet;
        for (int i = 0; i < TRACE_PACKET; i++)
            before.far[i] = hits[i].distance;
        met &= ~trace_occluded16(scene->trace, TRACE_SKY, &before, met, true);
    }
    for (int i = 0; i < TRACE_PACKET; i++)
        sum += met >> i & 1 ? 1 - hits[i].distance / radius : 0;
    return sum;
}

float occlusion_at_point(const struct occlusion_options *options, const struct scene *scene,
                         struct vec3 point, struct vec3 normal, uint64_t seed)
{
    float sum = 0;
    int rays = options->rays > 0 ? options->rays : RAYS;
    for (int first = 0; first < rays; first += TRACE_PACKET) {
        struct trace_packet packet;
        make_rays(options, point, normal, options->ordered ? 0 : seed, first, &packet);
        sum += occlusion_of(options, scene, &packet);
    }
    float share = sum / (float)rays;
    if (options->gain > 0)
        share = (float)portable_pow((double)share, options->gain);
    share *= (float)options->strength;
    return share < 1 ? 1 - share : 0;
}

static float factor_of(const struct job *job, const struct occlusion_options *options,
                       const struct face_light *face, int number)
{
    struct luxel room;
    const struct luxel *luxel = luxel_of(face, number, &room);
    struct vec3 surface = face->normal, normal, start;
    for (int k = 0; k < 3; k++) {
        normal.e[k] = (double)luxel_normal(face, luxel)[k];
        if (face->mesh)
            surface.e[k] = normal.e[k];
        start.e[k] = (double)luxel->position[k] + SCENE_RAY_OFFSET * surface.e[k];
    }
    return occlusion_at_point(options, job->map->scene, start, normal,
                              luxel_seed(job->map, face, number));
}

static void darken(struct face_light *face, unsigned parts, int luxel, float factor)
{
    for (int j = 0; j < face->slots; j++) {
        size_t at = 3 * (size_t)(j * face->count + luxel);
        for (size_t k = at; k < at + 3; k++) {
            for (int s = 0; s < face->style_count && parts & OCCLUSION_OF_DIRECT; s++)
                face->direct[s][k] *= factor;
            if (face->indirect && parts & OCCLUSION_OF_BOUNCED)
                face->indirect[k] *= factor;
        }
    }
}

static void darken_face(void *context, size_t index, int thread)
{
    const struct job *job = context;
    struct face_light *face = &job->map->faces[index];
    unsigned all = OCCLUSION_OF_DIRECT | OCCLUSION_OF_BOUNCED;
    unsigned parts = job->options->parts ? job->options->parts : all;
    (void)thread;
    progress_step(job->progress);
    if (parts & OCCLUSION_OF_BOUNCED)
        bounced_widen(face);
    for (int i = 0; i < face->count && !face->no_occlusion; i++)
        darken(face, parts, i, factor_of(job, job->options, face, i));
}

/* A ranks_pack. */
static void pack_face(void *context, size_t index, struct bytes *out)
{
    const struct job *job = context;
    luxel_state_append_direct(&job->map->faces[index], out);
    luxel_state_append_bounced(&job->map->faces[index], out);
}

/* A ranks_unpack. */
static void unpack_face(void *context, size_t index, struct byte_reader *from)
{
    const struct job *job = context;
    struct byte_reader look = *from;
    if (!luxel_state_look_direct(&look, &job->map->faces[index]) ||
        !luxel_state_look_bounced(&look, &job->map->faces[index])) {
        from->failed = true;
        return;
    }
    luxel_state_take_direct(from, &job->map->faces[index]);
    luxel_state_take_bounced(from, &job->map->faces[index]);
}

void occlusion_apply(const struct env *env, const struct occlusion_options *options,
                     struct luxel_map *map)
{
    struct job job = {.options = options, .map = map, .progress = env->progress};
    if (!(options->strength > 0 && options->radius > 0))
        return;
    progress_begin(env->progress, "ambient occlusion", (size_t)map->face_count);
    env_loop(env, &(struct ranks_loop){.count = (size_t)map->face_count,
                                       .item = darken_face,
                                       .context = &job,
                                       .pack = pack_face,
                                       .unpack = unpack_face,
                                       .progress = env->progress});
    progress_end(env->progress);
}

/* ---- open light ---- */

/* The same rays at all points: others would make noise. */
static struct occlusion_options occlusion_for(const struct open_light *light)
{
    return (struct occlusion_options){.strength = 1,
                                      .radius = light->distance,
                                      .ordered = true,
                                      .sky_is_open = true,
                                      .rays = light->rays};
}

float open_light_at_point(const struct open_light *light, const struct scene *scene,
                          struct vec3 point, struct vec3 normal, uint64_t seed)
{
    const struct occlusion_options options = occlusion_for(light);
    return occlusion_at_point(&options, scene, point, normal, seed);
}

static void brighten(struct face_light *face, int luxel, const struct open_light *light,
                     float share)
{
    for (int j = 0; j < face->slots; j++)
        for (int k = 0; k < 3; k++)
            face->direct[0][3 * (j * face->count + luxel) + k] += share * (float)light->colour.e[k];
}

static void brighten_face(void *context, size_t index, int thread)
{
    const struct job *job = context;
    struct face_light *face = &job->map->faces[index];
    const struct open_light *light = &job->lights[index];
    const struct occlusion_options options = occlusion_for(light);
    (void)thread;
    progress_step(job->progress);
    for (int i = 0; i < face->count && light->distance > 0 && face->style_count > 0; i++)
        if (!luxel_is_hidden(face, i))
            brighten(face, i, light, factor_of(job, &options, face, i));
}

/* A ranks_pack. */
static void pack_direct(void *context, size_t index, struct bytes *out)
{
    luxel_state_append_direct(&((const struct job *)context)->map->faces[index], out);
}

/* A ranks_unpack. */
static void unpack_direct(void *context, size_t index, struct byte_reader *from)
{
    struct face_light *face = &((const struct job *)context)->map->faces[index];
    struct byte_reader look = *from;
    if (luxel_state_look_direct(&look, face))
        luxel_state_take_direct(from, face);
    else
        from->failed = true;
}

void open_light_apply(const struct env *env, const struct open_light *lights, struct luxel_map *map)
{
    struct job job = {.lights = lights, .map = map, .progress = env->progress};
    progress_begin(env->progress, "floodlight", (size_t)map->face_count);
    env_loop(env, &(struct ranks_loop){.count = (size_t)map->face_count,
                                       .item = brighten_face,
                                       .context = &job,
                                       .pack = pack_direct,
                                       .unpack = unpack_direct,
                                       .progress = env->progress});
    progress_end(env->progress);
}
