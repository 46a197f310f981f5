#include "common/core/portable_math.h"
#include "vrad/lights/light.h"

/* The loops of this file are simple enough for the compiler to vectorise. */

static inline float at_least(float x, float min)
{
    return x > min ? x : min;
}

static inline float at_most(float x, float max)
{
    return x < max ? x : max;
}

static void direction_loop(int count, const float source[3], const float *px, const float *py,
                           const float *pz, float *restrict dx, float *restrict dy,
                           float *restrict dz, float *restrict distance)
{
    float x = source[0], y = source[1], z = source[2];
    for (int i = 0; i < count; i++) {
        float a = x - px[i], b = y - py[i], c = z - pz[i];
        float length = sqrtf(a * a + b * b + c * c);
        float scale = 1 / at_least(length, 1e-20f);
        dx[i] = a * scale;
        dy[i] = b * scale;
        dz[i] = c * scale;
        distance[i] = length;
    }
}

static void directions_to_light(const struct light *light, const struct light_rows *rows)
{
    struct vec3 source = light_source(light);
    const float at[3] = {(float)source.x, (float)source.y, (float)source.z};
    direction_loop(rows->count, at, rows->point[0], rows->point[1], rows->point[2],
                   rows->direction[0], rows->direction[1], rows->direction[2], rows->distance);
}

/* Returns true if the attenuation is a polynomial that is positive everywhere. */
static bool falloff_is_plain(const struct light *light)
{
    return !(light->ramp > 0) && !(light->fade_end > 0) && !(light->cap_distance > 0) &&
           light->constant >= 0 && light->linear >= 0 && light->quadratic >= 0 &&
           light->constant + light->linear + light->quadratic > 0;
}

/* Attenuation by distance. */
static void attenuate_by_distance(const struct light *light, const struct light_rows *rows)
{
    const float *distance = rows->distance;
    float *restrict attenuation = rows->attenuation;
    float constant = (float)light->softening, linear = 0, quadratic = 1;
    float min = (float)portable_fmax(light->min_distance, 1);
    int count = rows->count;
    if (light->type != WORLDLIGHT_SURFACE) {
        if (!falloff_is_plain(light)) {
            for (int i = 0; i < count; i++)
                attenuation[i] = (float)light_falloff(light, (double)distance[i]);
            return;
        }
        constant = (float)light->constant;
        linear = (float)light->linear;
        quadratic = (float)light->quadratic;
    }
    for (int i = 0; i < count; i++) {
        float d = at_least(distance[i], min);
        attenuation[i] = 1 / (constant + linear * d + quadratic * d * d);
    }
}

/* Multiplies by the cosine at the light. */
static void attenuate_by_cosine(const struct light *light, const struct light_rows *rows)
{
    float x = (float)light->normal.x, y = (float)light->normal.y, z = (float)light->normal.z;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    float *restrict attenuation = rows->attenuation;
    for (int i = 0, count = rows->count; i < count; i++)
        attenuation[i] *= at_least(-(dx[i] * x + dy[i] * y + dz[i] * z), 0);
}

/* Multiplies by the falloff of a spot's cone. */
static void attenuate_by_cone(const struct light *light, const struct light_rows *rows)
{
    float x = (float)light->normal.x, y = (float)light->normal.y, z = (float)light->normal.z;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    float outer = (float)light->stopdot2;
    float scale = (float)(1 / portable_fmax(light->stopdot - light->stopdot2, 1e-6));
    float exponent = light->exponent != 0 ? (float)light->exponent : 1;
    float *restrict attenuation = rows->attenuation;
    int count = rows->count;
    if (exponent == 1) {
        for (int i = 0; i < count; i++) {
            float cosine = -(dx[i] * x + dy[i] * y + dz[i] * z);
            attenuation[i] *= at_most(at_least((cosine - outer) * scale, 0), 1);
        }
        return;
    }
    for (int i = 0; i < count; i++) {
        float cosine = -(dx[i] * x + dy[i] * y + dz[i] * z);
        attenuation[i] *= (float)portable_pow(
            (double)at_most(at_least((cosine - outer) * scale, 0), 1), (double)exponent);
    }
}

/* Multiplies by the falloff across the edge of a beam. */
static void attenuate_by_beam(const struct light *light, const struct light_rows *rows)
{
    float x = (float)light->normal.x, y = (float)light->normal.y, z = (float)light->normal.z;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    const float *distance = rows->distance;
    float ratio = (float)light->beam, edge = (float)light->beam_edge, scale = 1 / (2 * edge);
    float *restrict attenuation = rows->attenuation;
    for (int i = 0, count = rows->count; i < count; i++) {
        float cosine = -(dx[i] * x + dy[i] * y + dz[i] * z);
        float across = distance[i] * sqrtf(at_least(1 - cosine * cosine, 0));
        float inside = ratio * distance[i] * cosine + edge - across;
        float share = at_most(at_least(inside * scale, 0), 1);
        attenuation[i] *= cosine > 0 ? share : 0;
    }
}

/* Evaluates near points again as an area light. */
static void attenuate_by_shape(const struct light *light, const struct light_rows *rows)
{
    float near = (float)area_light_near(light);
    for (int i = 0; i < rows->count; i++) {
        double distance = (double)rows->distance[i];
        if (!(rows->distance[i] < near))
            continue;
        struct vec3 way, point = vec3((double)rows->point[0][i], (double)rows->point[1][i],
                                      (double)rows->point[2][i]);
        rows->attenuation[i] = (float)area_light_at(light, point, &way, &distance);
        rows->distance[i] = (float)distance;
        for (int k = 0; k < 3; k++)
            rows->direction[k][i] = (float)way.e[k];
    }
}

void light_at_batch(const struct light *light, const struct light_rows *rows)
{
    directions_to_light(light, rows);
    attenuate_by_distance(light, rows);
    bool beam = light->type == WORLDLIGHT_SPOT && light->beam > 0;
    if (light->type != WORLDLIGHT_POINT && !beam)
        attenuate_by_cosine(light, rows);
    if (beam)
        attenuate_by_beam(light, rows);
    else if (light->type == WORLDLIGHT_SPOT)
        attenuate_by_cone(light, rows);
    if (area_light_near(light) > 0)
        attenuate_by_shape(light, rows);
}
