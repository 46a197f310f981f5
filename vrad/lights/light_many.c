#include "vrad/lights/light.h"

/* The loops of this file are so plain that the compiler does four points at a time. */

static inline float at_least(float x, float min)
{
    return x > min ? x : min;
}

static inline float at_most(float x, float max)
{
    return x < max ? x : max;
}

static void aim_loop(int count, const float source[3], const float *px, const float *py,
                     const float *pz, float *restrict dx, float *restrict dy, float *restrict dz,
                     float *restrict distance)
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

static void aim_rows(const struct light *light, const struct light_rows *rows)
{
    struct vec3 source = light_source(light);
    const float at[3] = {(float)source.x, (float)source.y, (float)source.z};
    aim_loop(rows->count, at, rows->point[0], rows->point[1], rows->point[2], rows->direction[0],
             rows->direction[1], rows->direction[2], rows->distance);
}

/* Whether the falloff is a polynomial that is nowhere 0 or less. */
static bool falls_plainly(const struct light *light)
{
    return !(light->ramp > 0) && !(light->fade_end > 0) && !(light->cap_distance > 0) &&
           light->constant >= 0 && light->linear >= 0 && light->quadratic >= 0 &&
           light->constant + light->linear + light->quadratic > 0;
}

/* Shares by the distance alone. */
static void fall_rows(const struct light *light, const struct light_rows *rows)
{
    const float *distance = rows->distance;
    float *restrict share = rows->share;
    float constant = (float)light->softening, linear = 0, quadratic = 1;
    float min = (float)fmax(light->min_distance, 1);
    int count = rows->count;
    if (light->type != WORLDLIGHT_SURFACE) {
        if (!falls_plainly(light)) {
            for (int i = 0; i < count; i++)
                share[i] = (float)light_falloff(light, (double)distance[i]);
            return;
        }
        constant = (float)light->constant;
        linear = (float)light->linear;
        quadratic = (float)light->quadratic;
    }
    for (int i = 0; i < count; i++) {
        float d = at_least(distance[i], min);
        share[i] = 1 / (constant + linear * d + quadratic * d * d);
    }
}

/* Times the cosine at the light. */
static void turn_rows(const struct light *light, const struct light_rows *rows)
{
    float x = (float)light->normal.x, y = (float)light->normal.y, z = (float)light->normal.z;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    float *restrict share = rows->share;
    for (int i = 0, count = rows->count; i < count; i++)
        share[i] *= at_least(-(dx[i] * x + dy[i] * y + dz[i] * z), 0);
}

/* Times what a spot's cone lets through. */
static void cone_rows(const struct light *light, const struct light_rows *rows)
{
    float x = (float)light->normal.x, y = (float)light->normal.y, z = (float)light->normal.z;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    float outer = (float)light->stopdot2;
    float scale = (float)(1 / fmax(light->stopdot - light->stopdot2, 1e-6));
    float exponent = light->exponent != 0 ? (float)light->exponent : 1;
    float *restrict share = rows->share;
    int count = rows->count;
    if (exponent == 1) {
        for (int i = 0; i < count; i++) {
            float cosine = -(dx[i] * x + dy[i] * y + dz[i] * z);
            share[i] *= at_most(at_least((cosine - outer) * scale, 0), 1);
        }
        return;
    }
    for (int i = 0; i < count; i++) {
        float cosine = -(dx[i] * x + dy[i] * y + dz[i] * z);
        share[i] *= powf(at_most(at_least((cosine - outer) * scale, 0), 1), exponent);
    }
}

/* Of points that are near, once more by its shape. */
static void shape_rows(const struct light *light, const struct light_rows *rows)
{
    for (int i = 0; i < rows->count; i++) {
        double distance = (double)rows->distance[i];
        if (!light_is_near(light, distance))
            continue;
        struct vec3 way, point = vec3((double)rows->point[0][i], (double)rows->point[1][i],
                                      (double)rows->point[2][i]);
        rows->share[i] = (float)light_near(light, point, &way, &distance);
        rows->distance[i] = (float)distance;
        for (int k = 0; k < 3; k++)
            rows->direction[k][i] = (float)way.e[k];
    }
}

void light_at_many(const struct light *light, const struct light_rows *rows)
{
    aim_rows(light, rows);
    fall_rows(light, rows);
    if (light->type != WORLDLIGHT_POINT)
        turn_rows(light, rows);
    if (light->type == WORLDLIGHT_SPOT)
        cone_rows(light, rows);
    if (light_is_near(light, 0))
        shape_rows(light, rows);
}
