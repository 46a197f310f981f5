#include "vrad/reference/reference.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/reference/walk.h"
#include "vrad/scene/hemisphere.h"

/* Paths of a run per path of a ray. */
enum { PATHS_PER_RAY = 1024 };

struct reference_points {
    struct walk_job job;
    struct reference_options options;
};

struct reference_points *reference_points_new(const struct scene *scene,
                                              const struct light_set *lights,
                                              const struct reference_options *options,
                                              const struct luxel_map *map,
                                              const struct radiosity *beyond)
{
    struct reference_points *points = memory_zalloc(1, sizeof *points);
    points->options = *options;
    points->job = (struct walk_job){.scene = scene,
                                    .lights = lights,
                                    .options = &points->options,
                                    .map = map,
                                    .beyond = beyond};
    points->job.skybox_radiosity = (struct radiosity){.scene = scene, .map = map};
    if (lights->sky >= 0 && lights->lights[lights->sky].style == 0)
        points->job.sky = lights->lights[lights->sky].intensity;
    return points;
}

void reference_points_free(struct reference_points *points)
{
    memory_free(points);
}

/* A path along each of the rays. */
static void walk_from(struct walk *walk, struct vec3 position, const struct vec3 *directions,
                      const struct scene_hit *hits, int count)
{
    walk->drawn = 0;
    walk->ends.alive = walk->scattered = (uint32_t)((1u << count) - 1);
    for (int i = 0; i < count; i++) {
        walk_set_ray(&walk->rays[WALK_SCATTERED].rays[i], position, directions[i]);
        for (int k = 0; k < 3; k++) {
            walk->ends.throughput[i][k] = 1;
            walk->light[0][i][k] = 0;
        }
        walk->ends.left[i] = walk->job->options->bounces;
    }
    walk_step_from(walk, hits);
    while (walk->ends.alive)
        walk_step(walk);
}

void reference_at_point(const void *context, struct vec3 position, const struct vec3 *directions,
                        const struct scene_hit *hits, const double (*scatter)[3], int count,
                        uint64_t seed, double out[TRACE_PACKET][3])
{
    const struct reference_points *points = context;
    struct walk walk = {.job = &points->job};
    size_t lights = arrlenu(points->job.lights->lights);
    int paths = (points->options.paths + PATHS_PER_RAY - 1) / PATHS_PER_RAY;
    walk.light_weights = memory_alloc((TRACE_PACKET * lights + 1) * sizeof *walk.light_weights);
    memset(out, 0, TRACE_PACKET * sizeof *out);
    for (int p = 0; p < paths || p == 0; p++) {
        for (int i = 0; i < TRACE_PACKET; i++)
            walk.seeds[i] = hash_pair(hash_pair(~seed, (uint64_t)p), (uint64_t)i);
        walk.scatter = p == 0 ? scatter : NULL; /* further paths of a ray go their own ways */
        walk_from(&walk, position, directions, hits, count);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                out[i][k] += walk.light[0][i][k] / (paths > 1 ? paths : 1);
    }
    memory_free(walk.light_weights);
}
