#include "vrad/lights/lamp_reach.h"

#include "common/core/array.h"

/* Lights that are looked at together. */
enum { BATCH = 64 };

/* Rounding of single precision, in units. */
#define SLACK 0.01f

static double reach_of(const struct light *lamp, double min)
{
    double grey = (lamp->intensity.x + lamp->intensity.y + lamp->intensity.z) / 3;
    double low = 0, high = 20; /* powers of two */
    if (lamp->type != WORLDLIGHT_POINT && lamp->type != WORLDLIGHT_SPOT &&
        lamp->type != WORLDLIGHT_SURFACE)
        return (double)INFINITY;
    bool falls = lamp->type == WORLDLIGHT_SURFACE || lamp->ramp > 0 ||
                 (lamp->constant >= 0 && lamp->linear >= 0 && lamp->quadratic >= 0);
    if (!falls || !(grey * light_falloff(lamp, exp2(high)) <= min))
        return (double)INFINITY;
    for (int i = 0; i < 30; i++) {
        double middle = (low + high) / 2;
        if (grey * light_falloff(lamp, exp2(middle)) > min)
            low = middle;
        else
            high = middle;
    }
    return exp2(high);
}

void lamp_reach_make(const struct light *lights, double min, struct lamp_reach *out)
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

void lamp_reach_free(struct lamp_reach *reach)
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

/* How much further than its reach each light is, squared. */
static void measure(const float *x, const float *y, const float *z, const float *reach, int count,
                    const float mins[3], const float maxs[3], float *restrict out)
{
    float x0 = mins[0], y0 = mins[1], z0 = mins[2], x1 = maxs[0], y1 = maxs[1], z1 = maxs[2];
    for (int i = 0; i < count; i++) {
        float a = gap(x[i], x0, x1), b = gap(y[i], y0, y1), c = gap(z[i], z0, z1);
        out[i] = a * a + b * b + c * c - reach[i] * reach[i];
    }
}

int lamp_reach_find(const struct lamp_reach *reach, const struct bounds *box, int *out)
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
