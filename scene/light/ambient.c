#include "scene/light/ambient.h"

#include <math.h>

#include "common/bsp/query.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/lights/light.h"
#include "vrad/luxels/colour.h"

#define WHITE 255.0

enum { SIDES = 6 };

/* Finds the samples of a leaf: its own, or those of the leaf that it refers to. */
static int samples_of(const struct bsp_light_set *light, int leaf, int *first)
{
    if (arrlen(light->ambient_index) == 0) {
        *first = leaf;
        return leaf < arrlen(light->ambient);
    }
    if (leaf >= arrlen(light->ambient_index))
        return 0;
    const struct bsp_ambient_index *index = &light->ambient_index[leaf];
    if (index->count == 0 && index->first >= 0 && index->first < arrlen(light->ambient_index))
        index = &light->ambient_index[index->first];
    *first = index->first;
    return index->count > 0 && index->first >= 0 &&
                   (int64_t)index->first + index->count <= arrlen(light->ambient)
               ? index->count
               : 0;
}

static double weight_of(const struct bsp_leaf *leaf, const struct bsp_ambient *sample,
                        struct vec3 point)
{
    double sum = 1; /* bounds the weight of a sample at the point itself */
    for (int k = 0; k < 3; k++) {
        double at = leaf->mins[k] + (leaf->maxs[k] - leaf->mins[k]) * (sample->position[k] / 255.0);
        sum += (at - point.e[k]) * (at - point.e[k]);
    }
    return 1 / sum;
}

bool scene_ambient_at(const struct bsp *bsp, const struct bsp_light_set *light, struct vec3 point,
                      struct scene_ambient *out)
{
    int leaf = bsp_leaf_at(bsp, 0, point), first = 0, count = samples_of(light, leaf, &first);
    double sum[SIDES][3] = {{0}}, weights = 0;
    for (int i = first; i < first + count; i++) {
        double weight = weight_of(&bsp->leaves[leaf], &light->ambient[i], point);
        weights += weight;
        for (int side = 0; side < SIDES; side++) {
            float rgb[3];
            colour_decode(light->ambient[i].cube[side], rgb);
            for (int k = 0; k < 3; k++)
                sum[side][k] += weight * (double)rgb[k];
        }
    }
    for (int i = 0; i < SIDES * 3 && count; i++)
        out->cube[i / 3][i % 3] = (float)(WHITE * sum[i / 3][i % 3] / weights);
    return count > 0;
}

void scene_ambient_light(const struct scene_ambient *ambient, struct vec3 normal, float out[3])
{
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int axis = 0; axis < 3; axis++)
            sum += normal.e[axis] * normal.e[axis] *
                   (double)ambient->cube[2 * axis + (normal.e[axis] < 0)][k];
        out[k] = (float)sum;
    }
}

#define FARTHEST 1e6

/* Less is invisible, and not worth a ray. */
#define MIN_LIGHT 0.25

struct light scene_light_of(const struct bsp_worldlight *from)
{
    struct light light = {
        .type = (enum worldlight_type)from->type,
        .origin = vec3_from_floats(from->origin),
        .normal = vec3_from_floats(from->normal),
        .intensity = vec3_scale(vec3_from_floats(from->intensity), WHITE),
        .stopdot = (double)from->stopdot,
        .stopdot2 = (double)from->stopdot2,
        .exponent = (double)from->exponent,
        .style = from->style,
        .cluster = from->cluster,
        .constant = (double)from->constant,
        .linear = (double)from->linear,
        .quadratic = (double)from->quadratic,
        .face = -1,
    };
    return light;
}

struct light *scene_lights(const struct bsp_light_set *light)
{
    struct light *lights = NULL;
    for (size_t i = 0; i < arrlenu(light->worldlights); i++) {
        const struct bsp_worldlight *from = &light->worldlights[i];
        bool in_air = from->type == WORLDLIGHT_SKY_AMBIENT || from->flags & LIGHT_IN_AMBIENT_CUBE;
        if (from->style == 0 && !in_air && from->type >= WORLDLIGHT_SURFACE &&
            from->type <= WORLDLIGHT_SKY)
            arrput(lights, scene_light_of(from));
    }
    return lights;
}

/* Returns the light's attenuation at the point, and the direction and distance to it. */
static double light_share(const struct light *light, struct vec3 point, struct vec3 *way,
                          double *distance)
{
    if (light->type != WORLDLIGHT_SKY)
        return light_at(light, point, way, distance);
    *way = vec3_neg(light->normal);
    *distance = FARTHEST;
    return 1;
}

bool scene_light_on(const struct light *light, struct vec3 point, struct vec3 normal,
                    scene_is_unoccluded *is_unoccluded, const void *context, struct vec3 *colour)
{
    struct vec3 way;
    double distance, share = light_share(light, point, &way, &distance);
    share *= portable_fmax(0, vec3_dot(way, normal));
    *colour = vec3_scale(light->intensity, share);
    if (!vec3_is_finite(*colour) || vec3_length(*colour) < MIN_LIGHT)
        return false;
    const struct trace_ray ray = {
        .origin = {(float)point.x, (float)point.y, (float)point.z},
        .direction = {(float)way.x, (float)way.y, (float)way.z},
        .far = (float)portable_fmax(0, distance - 1),
    };
    return is_unoccluded(context, &ray);
}

void scene_lights_add(const struct light *lights, struct vec3 point, struct vec3 normal,
                      scene_is_unoccluded *is_unoccluded, const void *context, float light[3])
{
    struct vec3 colour;
    for (size_t i = 0; i < arrlenu(lights); i++)
        if (scene_light_on(&lights[i], point, normal, is_unoccluded, context, &colour))
            for (int k = 0; k < 3; k++)
                light[k] += (float)colour.e[k];
}
