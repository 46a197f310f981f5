#include "vrad/lights/light_radius.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/lights/light.h"

/* Lights that are tested together. */
enum { BATCH = 64 };

/* Margin for rounding of single precision, in units. */
#define SLACK 0.01f

static double reach_of(const struct light *light, double min)
{
    double grey = light_whole(light, light_grey(light));
    double low = 0, high = 20; /* powers of two */
    if (light->type != WORLDLIGHT_POINT && light->type != WORLDLIGHT_SPOT &&
        light->type != WORLDLIGHT_SURFACE)
        return (double)INFINITY;
    bool falls = light->type == WORLDLIGHT_SURFACE || light->ramp > 0 ||
                 (light->constant >= 0 && light->linear >= 0 && light->quadratic >= 0);
    if (!falls || !(grey * light_falloff(light, portable_exp2(high)) <= min))
        return (double)INFINITY;
    for (int i = 0; i < 30; i++) {
        double middle = (low + high) / 2;
        if (grey * light_falloff(light, portable_exp2(middle)) > min)
            low = middle;
        else
            high = middle;
    }
    return portable_exp2(high);
}

void light_radii_make(const struct light *lights, double min, struct light_radii *out)
{
    size_t count = arrlenu(lights);
    out->count = (int)count;
    out->distance = memory_alloc((count + 1) * sizeof(float));
    for (int k = 0; k < 3; k++)
        out->at[k] = memory_alloc((count + 1) * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        out->distance[i] = (float)reach_of(&lights[i], min) + SLACK;
        for (int k = 0; k < 3; k++)
            out->at[k][i] = (float)lights[i].origin.e[k];
    }
}

void light_radii_free(struct light_radii *reach)
{
    memory_free(reach->distance);
    for (int k = 0; k < 3; k++)
        memory_free(reach->at[k]);
}

static inline float gap(float at, float min, float max)
{
    float below = min - at, above = at - max;
    float more = below > above ? below : above;
    return more > 0 ? more : 0;
}

/* By how much the box lies beyond each light's radius, squared. */
static void measure(const float *x, const float *y, const float *z, const float *reach, int count,
                    const float mins[3], const float maxs[3], float *restrict out)
{
    float x0 = mins[0], y0 = mins[1], z0 = mins[2], x1 = maxs[0], y1 = maxs[1], z1 = maxs[2];
    for (int i = 0; i < count; i++) {
        float a = gap(x[i], x0, x1), b = gap(y[i], y0, y1), c = gap(z[i], z0, z1);
        out[i] = a * a + b * b + c * c - reach[i] * reach[i];
    }
}

int light_radii_find(const struct light_radii *reach, const struct bounds *box, int *out)
{
    float mins[3], maxs[3], beyond[BATCH];
    int found = 0;
    for (int k = 0; k < 3; k++) {
        mins[k] = (float)box->mins.e[k];
        maxs[k] = (float)box->maxs.e[k];
    }
    for (int first = 0; first < reach->count; first += BATCH) {
        int count = reach->count - first < BATCH ? reach->count - first : BATCH;
        measure(reach->at[0] + first, reach->at[1] + first, reach->at[2] + first,
                reach->distance + first, count, mins, maxs, beyond);
        for (int i = 0; i < count; i++)
            if (beyond[i] <= 0)
                out[found++] = first + i;
    }
    return found;
}
