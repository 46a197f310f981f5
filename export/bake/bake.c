#include "export/bake/bake.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/exports.def"
#include "common/parallel/parallel.h"
#include "export/bake/charts.h"
#include "export/bake/vertices.h"

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

/* The colour of a sample that is `width` units wide: the bytes of a picture, and as alpha the least
 * with which the point can add what it adds to what is behind. */
static void look_colour(const struct map_scene *map, const struct tone *tone,
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

/* Returns the exposure for HDR light, of which all surfaces get a middle grey. */
static double look_exposure(const struct map_scene *map)
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

/* An image of all surfaces in their light. */

enum { BYTES = 4 }; /* of a pixel */

struct atlas_job {
    struct bake *bake;
    const struct chart_list *list;
    double density;  /* pixels per unit */
    bool *has_alpha; /* of each chart */
};

/* The point of the chart that is nearest to the middle of a pixel. */
struct texel {
    double distance; /* its square, in pixels */
    double weights[3];
    uint32_t triangle;
};

/* --- the nearest point of a triangle --- */

/* The nearest point of an edge, as the share of its end. */
static double share_along(const double a[2], const double b[2], const double p[2])
{
    double way[2] = {b[0] - a[0], b[1] - a[1]};
    double square = way[0] * way[0] + way[1] * way[1];
    double share = square > 0 ? ((p[0] - a[0]) * way[0] + (p[1] - a[1]) * way[1]) / square : 0;
    return portable_fmin(portable_fmax(share, 0), 1);
}

static void try_edge(double (*const corners)[2], int edge, const double p[2], struct texel *best)
{
    int next = (edge + 1) % 3;
    double share = share_along(corners[edge], corners[next], p);
    double x = corners[edge][0] + share * (corners[next][0] - corners[edge][0]) - p[0];
    double y = corners[edge][1] + share * (corners[next][1] - corners[edge][1]) - p[1];
    if (!(x * x + y * y < best->distance))
        return;
    best->distance = x * x + y * y;
    best->weights[edge] = 1 - share;
    best->weights[next] = share;
    best->weights[(edge + 2) % 3] = 0;
}

static double cross(const double a[2], const double b[2], const double p[2])
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static struct texel nearest_of(double (*const corners)[2], const double p[2])
{
    double area = cross(corners[0], corners[1], corners[2]);
    struct texel texel = {.distance = (double)INFINITY};
    bool inside = area > 0 || area < 0;
    for (int k = 0; k < 3 && inside; k++) {
        texel.weights[k] = cross(corners[(k + 1) % 3], corners[(k + 2) % 3], p) / area;
        inside = texel.weights[k] >= 0;
    }
    if (inside) {
        texel.distance = 0;
        return texel;
    }
    for (int edge = 0; edge < 3; edge++)
        try_edge(corners, edge, p, &texel);
    return texel;
}

/* --- charts --- */

/* Pixels from the corner of the chart. */
static void corners_on(const struct atlas_job *job, size_t index, double out[3][2])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            out[i][k] = (double)CHART_PADDING + 0.5 + job->density * job->list->places[index][i][k];
}

static void cover(const struct atlas_job *job, const struct chart *chart, size_t index,
                  struct texel *texels)
{
    double corners[3][2];
    int from[2], to[2];
    corners_on(job, index, corners);
    for (int k = 0; k < 2; k++) {
        double low = portable_fmin(portable_fmin(corners[0][k], corners[1][k]), corners[2][k]);
        double high = portable_fmax(portable_fmax(corners[0][k], corners[1][k]), corners[2][k]);
        from[k] = (int)portable_fmax(low - (double)CHART_PADDING - 1, 0);
        to[k] = (int)portable_fmin(high + (double)CHART_PADDING + 1, chart->pixels[k] - 1);
    }
    for (int y = from[1]; y <= to[1]; y++)
        for (int x = from[0]; x <= to[0]; x++) {
            struct texel *texel = &texels[(size_t)y * (size_t)chart->pixels[0] + (size_t)x];
            const double p[2] = {x + 0.5, y + 0.5};
            if (!(texel->distance > 0))
                continue;
            struct texel nearest = nearest_of(corners, p);
            if (!(nearest.distance < texel->distance))
                continue;
            *texel = nearest;
            texel->triangle = job->list->triangles[index];
        }
}

static void bake_chart(void *context, size_t number, int thread)
{
    (void)thread;
    const struct atlas_job *job = context;
    const struct bake *bake = job->bake;
    const struct chart *chart = &job->list->charts[number];
    size_t width = (size_t)chart->pixels[0], count = width * (size_t)chart->pixels[1];
    struct texel *texels = memory_alloc(count * sizeof *texels);
    for (size_t i = 0; i < count; i++)
        texels[i].distance = (double)INFINITY;
    for (size_t i = 0; i < chart->count; i++)
        cover(job, chart, chart->first + i, texels);
    for (size_t i = 0; i < count; i++) {
        size_t x = (size_t)chart->at[0] + i % width, y = (size_t)chart->at[1] + i / width;
        unsigned char *pixel = bake->pixels + BYTES * (y * (size_t)bake->side + x);
        if (!isfinite(texels[i].distance))
            continue;
        const struct surface_hit hit = look_hit(bake->map, texels[i].triangle, texels[i].weights);
        look_colour(bake->map, &bake->tone, &hit, 1 / job->density, pixel);
        if (scene_material_draw_kind(hit.material, hit.surface->opacity) == DRAW_OPAQUE)
            pixel[3] = 255;
        job->has_alpha[number] |= pixel[3] < 255;
    }
    memory_free(texels);
    progress_step(bake->map->env->progress);
}

/* Of the corners, on the whole image. */
static void set_places(const struct atlas_job *job)
{
    for (size_t i = 0; i < arrlenu(job->list->charts); i++) {
        const struct chart *chart = &job->list->charts[i];
        for (size_t n = chart->first; n < chart->first + chart->count; n++) {
            double corners[3][2];
            corners_on(job, n, corners);
            for (int k = 0; k < 6; k++)
                job->bake->places[job->list->triangles[n]][k / 2][k % 2] =
                    (float)((chart->at[k % 2] + corners[k / 2][k % 2]) / job->bake->side);
        }
    }
}

static void bake_charts(struct atlas_job *job)
{
    struct bake *bake = job->bake;
    const struct env *env = bake->map->env;
    size_t count = arrlenu(job->list->charts), side = (size_t)bake->side;
    bake->pixels = memory_zalloc(side * side, BYTES);
    for (size_t i = 0; i < side * side; i++)
        bake->pixels[BYTES * i + 3] = 255;
    job->has_alpha = memory_zalloc(count + 1, sizeof *job->has_alpha);
    progress_begin(env->progress, "baking light", count);
    parallel_for(env->threads, count, bake_chart, job);
    progress_end(env->progress);
    for (size_t i = 0; i < count; i++)
        bake->has_alpha |= job->has_alpha[i];
    memory_free(job->has_alpha);
}

/* Fills places and pixels. Fails (reported) when the surfaces do not fit. */
static enum status bake_atlas(struct bake *bake, const struct surface_order *order)
{
    struct chart_list list;
    enum status status = STATUS_OK;
    charts_make(&bake->map->mesh, order, &list);
    struct atlas_job job = {.bake = bake, .list = &list, .density = charts_pack(&list, bake->side)};
    bake->places = memory_zalloc(arrlenu(bake->map->mesh.triangles) + 1, sizeof *bake->places);
    if (job.density > 0) {
        set_places(&job);
        bake_charts(&job);
    } else {
        status = diag_report(bake->map->env->diag, DIAG_BAKE_LARGE, NULL,
                             "%zu charts of surfaces on an image of %d x %d pixels",
                             arrlenu(list.charts), bake->side, bake->side);
    }
    charts_free(&list);
    return status;
}

enum status bake_open(const struct map_scene *map, const struct export_settings *settings,
                      const struct surface_order *order, struct bake *out)
{
    *out = (struct bake){.map = map,
                         .form = (enum export_bake)settings->bake,
                         .side = settings->bake_size,
                         .step = settings->bake_step};
    if (out->form == EXPORT_BAKE_NONE)
        return STATUS_OK;
    bool hdr = scene_is_hdr(map);
    tone_fill(&out->tone, settings->exposure, hdr);
    if (!(out->tone.exposure > 0))
        out->tone.exposure = hdr ? look_exposure(map) : 1;
    return out->form == EXPORT_BAKE_ATLAS ? bake_atlas(out, order) : bake_vertices_fit(out);
}

void bake_free(struct bake *bake)
{
    memory_free(bake->places);
    memory_free(bake->pixels);
}
