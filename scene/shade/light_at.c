#include "scene/shade/light_at.h"

#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "scene/light/ambient.h"

#define AMBIENT_DISTANCE 4.0 /* above a surface, for the ambient lookup */

enum { MAX_TAPS = 4 };

static double clamped(double value, double max)
{
    return value > 0 ? portable_fmin(value, max) : 0;
}

/* The luxels that a filter takes along an axis. */
struct taps {
    int first, count;
    double weight[MAX_TAPS];
};

static struct taps taps_at(enum light_filter filter, double at)
{
    int luxel = (int)at;
    double x = at - luxel, y = 1 - x;
    if (filter == LIGHT_BILINEAR)
        return (struct taps){luxel, 2, {y, 1 - (luxel + 1 - at)}};
    return (struct taps){luxel - 1,
                         4,
                         {y * y * y / 6, (3 * x * x * x - 6 * x * x + 4) / 6,
                          (3 * y * y * y - 6 * y * y + 4) / 6, x * x * x / 6}};
}

/* A luxel of a surface, or what stands for one that others have there. */
static const float *luxel_at(const struct mesh *mesh, const struct surface *surface,
                             enum foreign_luxels foreign, int x, int y)
{
    static const float black[3] = {0, 0, 0}, white[3] = {255, 255, 255};
    int inner_x = x < 0 ? 0 : x < surface->width ? x : surface->width - 1;
    int inner_y = y < 0 ? 0 : y < surface->height ? y : surface->height - 1;
    if (foreign != FOREIGN_NONE && (inner_x != x || inner_y != y))
        return foreign == FOREIGN_BLACK ? black : white;
    return mesh
        ->luxels[surface->luxels + (size_t)inner_y * (size_t)surface->width + (size_t)inner_x];
}

/* Lightmaps of props and shared pages have a filter of their own. */
static bool has_filters(const struct map_scene *scene, const struct surface *surface)
{
    return surface->prop < 0 && scene->bsp->engine->light.filters_vary;
}

static void lightmap_light(const struct map_scene *scene, const struct surface_hit *hit,
                           float out[3])
{
    const float(*st)[2] = hit->triangle->st;
    const struct surface *surface = hit->surface;
    enum light_filter filter = LIGHT_BILINEAR;
    enum foreign_luxels foreign = FOREIGN_NONE;
    struct taps taps[2];
    double sum[3] = {0};
    if (has_filters(scene, surface)) {
        filter = (enum light_filter)scene->options.filter;
        foreign = (enum foreign_luxels)scene->options.foreign;
    }
    for (int i = 0; i < 2; i++) {
        double max = (i ? surface->height : surface->width) - 1;
        taps[i] = taps_at(filter, clamped(surface_interpolated(hit, (double)st[0][i],
                                                               (double)st[1][i], (double)st[2][i]),
                                          max));
    }
    for (int i = 0; i < taps[0].count * taps[1].count; i++) {
        int across = i % taps[0].count, along = i / taps[0].count;
        double share = taps[0].weight[across] * taps[1].weight[along];
        const float *luxel =
            luxel_at(&scene->mesh, surface, foreign, taps[0].first + across, taps[1].first + along);
        if (share <= 0)
            continue;
        for (int k = 0; k < 3; k++)
            sum[k] += share * (double)luxel[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] = (float)sum[k];
}

static void fill(float out[3], double value)
{
    for (int k = 0; k < 3; k++)
        out[k] = (float)value;
}

/* Translucent surfaces cast no shadow. */
static bool is_unoccluded(const void *context, const struct trace_ray *ray)
{
    const struct mesh *mesh = context;
    struct trace_hit hit = trace_closest(mesh->trace, TRACE_FACE | TRACE_SKY, ray);
    if (hit.distance < 0 || hit.class == TRACE_SKY)
        return true;
    const struct surface *surface = &mesh->surfaces[mesh->triangles[hit.triangle].surface];
    const struct scene_material *material = &mesh->materials[surface->material];
    return surface->opacity < 1 || material->translucent || material->alpha_tested;
}

struct vec3 scene_shading_normal(const struct surface_hit *hit)
{
    const float(*corners)[3] = hit->triangle->corners;
    struct vec3 normal;
    if (hit->surface->lit_by != LIT_BY_AMBIENT_AND_LIGHTS)
        return hit->normal;
    for (int k = 0; k < 3; k++)
        normal.e[k] = surface_interpolated(hit, (double)corners[0][k], (double)corners[1][k],
                                           (double)corners[2][k]);
    normal = vec3_normalize(normal);
    return vec3_is_finite(normal) ? normal : hit->normal;
}

static void model_light(const struct map_scene *scene, const struct surface_hit *hit, float out[3])
{
    struct vec3 normal = scene_shading_normal(hit);
    scene_ambient_light(&scene->mesh.ambient_cubes[hit->surface->ambient], normal, out);
    /* Starts above the surface, to avoid self-shadowing. */
    struct vec3 point = vec3_add(hit->point, hit->normal);
    scene_lights_add(scene->lights, point, normal, is_unoccluded, &scene->mesh, out);
}

bool scene_light_reaches(const struct map_scene *scene, const struct light *light,
                         struct vec3 point, struct vec3 normal)
{
    struct vec3 colour;
    return scene_light_on(light, vec3_add(point, normal), normal, is_unoccluded, &scene->mesh,
                          &colour);
}

void scene_light_at(const struct map_scene *scene, const struct surface_hit *hit, float out[3])
{
    const float(*light)[3] = hit->triangle->corners;
    struct scene_ambient ambient;
    fill(out, 255);
    switch (hit->surface->lit_by) {
    case LIT_BY_LUXELS:
        lightmap_light(scene, hit, out);
        break;
    case LIT_BY_VERTICES:
        for (int k = 0; k < 3; k++)
            out[k] = (float)surface_interpolated(hit, (double)light[0][k], (double)light[1][k],
                                                 (double)light[2][k]);
        break;
    case LIT_BY_AMBIENT_AND_LIGHTS:
        model_light(scene, hit, out);
        break;
    case LIT_BY_AMBIENT:
        if (scene_ambient_at(scene->bsp, scene->light,
                             vec3_mad(hit->point, hit->normal, AMBIENT_DISTANCE), &ambient))
            scene_ambient_light(&ambient, hit->normal, out);
        break;
    case LIT_BY_NORMAL:
        /* Without light, shading by the normal tells walls apart; floors are bright. */
        fill(out,
             255 * (0.55 + 0.15 * fabs(hit->normal.x) + 0.3 * portable_fmax(0, hit->normal.z)));
        break;
    case LIT_FULLBRIGHT:
        break;
    }
}
