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
    return (struct occlusion_options){.strength = strength, .radius = options->occlusion_radius};
}

struct job {
    const struct occlusion_options *options;
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

float occlusion_at_point(const struct occlusion_options *options, const struct scene *scene,
                         struct vec3 point, struct vec3 normal, uint64_t seed)
{
    float sum = 0, radius = (float)options->radius;
    for (int first = 0; first < RAYS; first += TRACE_PACKET) {
        struct trace_packet packet;
        struct trace_hit hits[TRACE_PACKET];
        make_rays(options, point, normal, options->ordered ? 0 : seed, first, &packet);
        trace_closest16(scene->trace, TRACE_SOLID, &packet, 0xffff, true, hits);
        for (int i = 0; i < TRACE_PACKET; i++)
            sum += hits[i].distance >= 0 ? 1 - hits[i].distance / radius : 0;
    }
    float share = sum / (float)RAYS;
    if (options->gain > 0)
        share = (float)portable_pow((double)share, options->gain);
    share *= (float)options->strength;
    return share < 1 ? 1 - share : 0;
}

static float factor_of(const struct job *job, const struct face_light *face, int number)
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
    return occlusion_at_point(job->options, job->map->scene, start, normal,
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
    for (int i = 0; i < face->count && !face->kept && !face->no_occlusion; i++)
        darken(face, parts, i, factor_of(job, face, i));
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
    struct job job = {options, map, env->progress};
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
