#include "scene/light/lights.h"

#include <math.h>

#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/lights/light.h"

#define WHITE    255.0
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
