#include "vrad/direct/sun_ways.h"

#include "vrad/scene/hemisphere.h"

/* The square on the unit sphere, to 1e-8: as sphere_point, but in quarters, and without calls. */
static void points_of_sphere(const double *u, const double *v, int count, double (*out)[LUXEL_FINE])
{
    for (int i = 0; i < count; i++) {
        double z = 1 - 2 * u[i], across = sqrt((1 - z * z) / 2), sine, cosine;
        double quarter = (double)(int)(4 * v[i]);
        small_sine_cosine(1.5707963267948966 * (4 * v[i] - quarter - 0.5), &sine, &cosine);
        double x = quarter == 1 || quarter == 2 ? -1 : 1, y = quarter >= 2 ? -1 : 1;
        out[0][i] = across * (cosine * x - sine * y);
        out[1][i] = across * (sine * x + cosine * y);
        out[2][i] = z;
    }
}

void sun_ways_make(const struct direct_face *work, const struct light *sun, int luxel,
                   struct sun_ways *out)
{
    double u[LUXEL_FINE], v[LUXEL_FINE], points[3][LUXEL_FINE];
    uint64_t seed = luxel_seed(work->map, work->face, luxel);
    uint32_t count = (uint32_t)work->options->fine;
    if (sun->spread > 0) {
        luxel_pattern((int)count, sample_scramble(~seed), u, v);
        points_of_sphere(u, v, (int)count, points);
    }
    for (int k = 0; k < 3; k++) {
        float *restrict way = out->way[k];
        for (uint32_t i = 0; i < count && sun->spread > 0; i++) {
            /* An odd factor mixes the order, lest the place in the luxel tells the place in the
             * sun. */
            uint32_t mixed = (i * 37 + (uint32_t)seed) & (count - 1);
            way[i] = (float)(-sun->normal.e[k] + points[k][mixed] * sun->spread);
        }
        for (uint32_t i = 0; i < count && !(sun->spread > 0); i++)
            way[i] = (float)-sun->normal.e[k];
    }
}

bool sun_weights(const struct direct_face *work, const struct light *sun, int luxel,
                 float weight[LUXEL_SLOTS])
{
    const float(*normals)[3] = direct_normals(work, luxel);
    const float *surface = work->face->mesh ? normals[0] : work->surface;
    float facing = 0;
    for (int k = 0; k < 3; k++)
        facing -= (float)sun->normal.e[k] * surface[k];
    for (int j = 0; j < work->face->slots; j++) {
        float cosine = 0;
        for (int k = 0; k < 3; k++)
            cosine -= (float)sun->normal.e[k] * normals[j][k];
        weight[j] = cosine > 0 ? cosine : 0;
    }
    return facing > LIGHT_GRAZING;
}
