#include "export/bake/look.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"

#define WHITE 255.0

/* Surfaces are looked at for their exposure in so many places, by their area, each as wide as this:
 * most of a texture. */
enum { EXPOSURE_LOOKS = 4096 };
#define EXPOSURE_WIDTH 32.0

struct surface_hit look_hit(const struct map_scene *map, uint32_t triangle, const double weights[3])
{
    struct surface_hit hit = surface_hit_of(map, triangle);
    const float *corners = scene_corners(map, hit.triangle);
    hit.cosine = 1;
    for (size_t k = 0; k < 3; k++) {
        hit.weights[k] = weights[k];
        hit.point = vec3_mad(hit.point, vec3_from_floats(corners + 3 * k), weights[k]);
    }
    return hit;
}

/* The light that a point adds, 255 being white. Returns the share that it hides of what is behind.
 */
static double look_at(const struct map_scene *map, const struct surface_hit *hit, double width,
                      double light[3])
{
    const struct surface_view view = {.width = width, .direction = vec3_neg(hit->normal)};
    struct blended blended;
    double kept = 0;
    scene_material_at(map, hit, &view, &blended);
    for (int k = 0; k < 3; k++) {
        float added = blended.added[k];
        light[k] = scene_blends_on_screen(map)
                       ? WHITE * (double)screen_light(&map->materials.screen, added)
                       : (double)added;
        kept += (double)blended.kept[k] / 3;
    }
    return 1 - kept;
}

static double share_of(double value)
{
    return value > 0 ? portable_fmin(value, 1) : 0; /* NaN is 0 */
}

void look_colour(const struct map_scene *map, const struct tone *tone,
                 const struct surface_hit *hit, double width, unsigned char rgba[4])
{
    double light[3], shown[3], alpha = share_of(look_at(map, hit, width, light));
    for (int k = 0; k < 3; k++) {
        shown[k] = tone_light(tone, light[k]);
        alpha = portable_fmax(alpha, share_of(shown[k]));
    }
    for (int k = 0; k < 3; k++)
        rgba[k] = gamma_table_byte(&tone->gamma, alpha > 0 ? shown[k] / alpha : 0);
    rgba[3] = (unsigned char)lround(255 * alpha);
}

void look_light(const struct map_scene *map, const struct tone *tone, const struct surface_hit *hit,
                float out[3])
{
    float light[3];
    scene_light_at(map, hit, light);
    for (int k = 0; k < 3; k++)
        out[k] = (float)share_of(tone_light(tone, (double)light[k]));
}

/* --- exposure --- */

static double area_of(const float *corners)
{
    struct vec3 a = vec3_from_floats(corners);
    struct vec3 across = vec3_cross(vec3_sub(vec3_from_floats(corners + 3), a),
                                    vec3_sub(vec3_from_floats(corners + 6), a));
    double area = vec3_length(across) / 2;
    return isfinite(area) ? area : 0;
}

double look_exposure(const struct map_scene *map)
{
    static const double middle[3] = {1 / 3.0, 1 / 3.0, 1 / 3.0};
    size_t triangles = arrlenu(map->mesh.triangles), count, looks = 0;
    const float *positions = trace_positions(map->mesh.trace, TRACE_FACE, &count);
    float(*pixels)[4] = memory_zalloc(EXPOSURE_LOOKS + 1, sizeof *pixels);
    double total = 0, so_far = 0;
    for (size_t i = 0; i < triangles; i++)
        total += area_of(positions + 9 * i);
    for (size_t i = 0; i < triangles; i++) {
        double light[3];
        size_t first = looks;
        so_far += area_of(positions + 9 * i);
        while (looks < EXPOSURE_LOOKS && so_far * (double)EXPOSURE_LOOKS > total * (double)looks)
            looks++;
        if (first == looks)
            continue;
        const struct surface_hit hit = look_hit(map, (uint32_t)i, middle);
        (void)look_at(map, &hit, EXPOSURE_WIDTH, light);
        for (size_t at = first; at < looks; at++)
            for (int k = 0; k < 3; k++)
                pixels[at][k] = (float)light[k];
    }
    double exposure = looks ? tone_automatic((const float(*)[4])pixels, looks) : 1;
    memory_free(pixels);
    return exposure;
}
