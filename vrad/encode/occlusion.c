#include "vrad/encode/occlusion.h"

#include "common/core/memory.h"
#include "common/parallel/parallel.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/scene/hemisphere.h"

enum { RAYS = 64 };

struct occlusion_options occlusion_options_of(const struct vrad_options *options)
{
    double strength = options->occlusion;
    if (options->no_occlusion)
        strength = 0;
    else if (options->ambient_occlusion && strength <= 0)
        strength = 1;
    return (struct occlusion_options){strength, options->occlusion_radius};
}

struct job {
    const struct occlusion_options *options;
    struct luxel_map *map;
    struct progress *progress;
};

static void make_rays(const struct face_light *face, const struct luxel *luxel, struct vec3 surface,
                      uint64_t seed, int first, double radius, struct trace_packet *packet)
{
    struct vec3 x, y, normal, start;
    for (int k = 0; k < 3; k++) {
        normal.e[k] = (double)luxel_normal(face, luxel)[k];
        start.e[k] = (double)luxel->position[k] + SCENE_RAY_OFFSET * surface.e[k];
    }
    frame_around(normal, &x, &y);
    for (int i = 0; i < TRACE_PACKET; i++) {
        double square[2];
        sample_square((uint32_t)(first + i), seed, square);
        struct vec3 way = frame_point(square_to_cosine(square), x, y, normal);
        for (int k = 0; k < 3; k++) {
            packet->origin[k][i] = (float)start.e[k];
            packet->direction[k][i] = (float)way.e[k];
        }
        packet->near[i] = 0;
        packet->far[i] = (float)radius;
    }
}

/* The mean of 1 - distance / radius. */
static float occlusion(const struct job *job, const struct face_light *face, int number)
{
    struct luxel room;
    const struct luxel *luxel = luxel_of(face, number, &room);
    struct vec3 surface = face->normal;
    for (int k = 0; k < 3 && face->mesh; k++)
        surface.e[k] = (double)luxel_normal(face, luxel)[k];
    uint64_t seed = luxel_seed(job->map, face, number);
    float sum = 0, radius = (float)job->options->radius;
    for (int first = 0; first < RAYS; first += TRACE_PACKET) {
        struct trace_packet packet;
        struct trace_hit hits[TRACE_PACKET];
        make_rays(face, luxel, surface, seed, first, job->options->radius, &packet);
        trace_closest16(job->map->scene->trace, TRACE_SOLID, &packet, 0xffff, true, hits);
        for (int i = 0; i < TRACE_PACKET; i++)
            sum += hits[i].distance >= 0 ? 1 - hits[i].distance / radius : 0;
    }
    return sum / (float)RAYS;
}

static void darken(struct face_light *face, int luxel, float factor)
{
    for (int j = 0; j < face->slots; j++) {
        size_t at = 3 * (size_t)(j * face->count + luxel);
        for (size_t k = at; k < at + 3; k++) {
            for (int s = 0; s < face->style_count; s++)
                face->direct[s][k] *= factor;
            if (face->indirect)
                face->indirect[k] *= factor;
        }
    }
}

static void darken_face(void *context, size_t index, int thread)
{
    const struct job *job = context;
    struct face_light *face = &job->map->faces[index];
    (void)thread;
    progress_step(job->progress);
    bounced_widen(face);
    for (int i = 0; i < face->count && !face->kept && !face->no_occlusion; i++) {
        float share = (float)job->options->strength * occlusion(job, face, i);
        darken(face, i, share < 1 ? 1 - share : 0);
    }
}

void occlusion_apply(const struct env *env, const struct occlusion_options *options,
                     struct luxel_map *map)
{
    struct job job = {options, map, env->progress};
    if (!(options->strength > 0 && options->radius > 0))
        return;
    progress_begin(env->progress, "ambient occlusion", (size_t)map->face_count);
    parallel_for_until(env->stop, env->threads, (size_t)map->face_count, darken_face, &job);
    progress_end(env->progress);
}
