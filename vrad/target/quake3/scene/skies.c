/* Suns and skies of shaders, on the scale of the lightmap bytes: 255 is white.
 *
 * Light of q3map_skyLight is made for a sky of even suns: one above and rings of 4 (N - 1) of them
 * at heights of 90 / N (i + 1/2) degrees, i below N - 1, for N iterations. A sky shines as evenly
 * as it can be seen, and as bright on open ground as these. Where several skies differ, each has
 * those suns, which shine on what may see it alone. */
#include <math.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/target/quake3/level/srgb.h"
#include "vrad/target/quake3/scene/scene.h"

/* Iterations of skies whose light is that of surfaces; and of all, where they shine by suns: 197 of
 * them, as even as more. */
enum { PLAIN_ITERATIONS = 3, MOST_ITERATIONS = 8 };

/* The visible surfaces of a shader of the sky. */
struct sky {
    const struct quake3_material *material;
    int shader;
    double area;
};

/* ---- suns ---- */

/* Of a sky alone, if that is not -1. */
static void add_sun(struct quake3_light *q, const struct shader_sun *from, int sky)
{
    struct light light = {.type = WORLDLIGHT_SKY, .face = -1, .sky = sky + 1};
    if (from->intensity == 0)
        return;
    light.normal = vec3_neg(from->direction);
    light.intensity = vec3_scale(srgb_colour(from->colour, q->options->quake3.srgb_colours),
                                 from->intensity * q->options->sky_scale);
    light.spread = portable_sin(from->deviance * PI / 180);
    light.parts = from->intensity < 0 ? -1 : 0;
    arrput(q->lights.lights, light);
}

/* ---- light of skies ---- */

static int rings_of(const struct shader_sky_light *from)
{
    return from->iterations - 1;
}

/* Height of the suns of a ring, in radians. */
static double ring_height(const struct shader_sky_light *from, int ring)
{
    double share = (ring + 0.5) / from->iterations;
    return (from->lowest + (from->highest - from->lowest) * share) * PI / 180;
}

static int suns_of(const struct shader_sky_light *from)
{
    return 4 * rings_of(from) * rings_of(from) + 1;
}

/* The light of a fully visible sky on level ground. */
static double ground_light(const struct shader_sky_light *from)
{
    double sum = 1;
    for (int i = 0; i < rings_of(from); i++)
        sum += 4 * rings_of(from) * portable_fmax(portable_sin(ring_height(from, i)), 0);
    return from->value * sum / suns_of(from);
}

/* The hue of light of the sky. */
static struct vec3 hue_of(const struct sky *sky)
{
    return quake3_unit_colour(sky->material->average);
}

static struct vec3 sky_emission(const struct quake3_light *q, const struct sky *sky)
{
    const struct shader *shader = sky->material->shader;
    struct vec3 emission = vec3(0, 0, 0);
    if (shader->surface_light > 0 && !q->options->quake3.sun_only)
        emission = quake3_emission(q, sky->material);
    for (ptrdiff_t k = 0; k < arrlen(shader->sky_lights); k++)
        emission = vec3_mad(emission, hue_of(sky), ground_light(&shader->sky_lights[k]));
    return emission;
}

static void add_sky(struct quake3_light *q, struct vec3 emission)
{
    struct light light = {.type = WORLDLIGHT_SKY_AMBIENT, .face = -1};
    if (!(emission.x > 0 || emission.y > 0 || emission.z > 0))
        return;
    light.intensity = vec3_scale(emission, q->options->sky_scale);
    arrput(q->lights.lights, light);
}

static void add_ring_sun(struct quake3_light *q, const struct sky *sky, double height, double turn,
                         double value)
{
    const struct shader_sun sun = {.colour = hue_of(sky),
                                   .direction = vec3(portable_cos(turn) * portable_cos(height),
                                                     portable_sin(turn) * portable_cos(height),
                                                     portable_sin(height)),
                                   .intensity = value};
    add_sun(q, &sun, sky->shader);
}

static void add_suns_of_sky_light(struct quake3_light *q, const struct sky *sky,
                                  const struct shader_sky_light *from)
{
    struct shader_sky_light of = *from;
    of.iterations = from->iterations < MOST_ITERATIONS ? from->iterations : MOST_ITERATIONS;
    of.value *= ground_light(from) / ground_light(&of);
    const double value = of.value / suns_of(&of);
    const int rings = rings_of(&of), around = 4 * rings;
    add_ring_sun(q, sky, PI / 2, 0, value);
    for (int i = 0; i < rings; i++)
        for (int k = 0; k < around; k++)
            add_ring_sun(q, sky, ring_height(&of, i), 2 * PI / around * (k + (double)i / rings),
                         value);
}

static void add_own_sky(struct quake3_light *q, const struct sky *sky)
{
    const struct shader *shader = sky->material->shader;
    struct shader_sky_light plain = {.value = 1, .iterations = PLAIN_ITERATIONS, .highest = 90};
    for (ptrdiff_t k = 0; k < arrlen(shader->sky_lights); k++)
        add_suns_of_sky_light(q, sky, &shader->sky_lights[k]);
    if (!(shader->surface_light > 0) || q->options->quake3.sun_only)
        return;
    struct vec3 emission = quake3_emission(q, sky->material);
    plain.value =
        portable_fmax(emission.x, portable_fmax(emission.y, emission.z)) / ground_light(&plain);
    add_suns_of_sky_light(q, sky, &plain);
}

/* The ambient light of suns that came from a Source map. */
static struct vec3 emission_of_suns(const struct quake3_light *q)
{
    struct vec3 emission = vec3(0, 0, 0), colour;
    const struct entity *entity = entity_view_world(q->entities);
    while (entity && (entity = entity_view_next(q->entities, quake3_lights, entity)))
        if (entity_number(entity, "_sun", 0) != 0 &&
            light_colour(entity_value(entity, "_ambient"), false, &colour))
            emission = vec3_add(emission, colour);
    return emission;
}

/* ---- all skies ---- */

static double surface_area(const struct bsp *bsp, const struct bsp_surface *surface)
{
    double area = 0;
    for (int i = 0; i + 2 < surface->index_count; i += 3) {
        struct vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] =
                vec3_from_floats(bsp->draw_vertices[surface->first_vertex +
                                                    bsp->draw_indices[surface->first_index + i + k]]
                                     .p);
        double cross = vec3_length(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
        area += isfinite(cross) ? cross / 2 : 0;
    }
    return area;
}

/* The visible skies: an stb_ds array. */
static struct sky *find_skies(const struct quake3_light *q)
{
    struct sky *skies = NULL;
    double *areas = memory_zalloc(arrlenu(q->bsp->shaders) + 1, sizeof *areas);
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->surfaces); i++)
        if (q->surfaces[i].material->blocking == MATERIAL_SKY)
            areas[q->bsp->surfaces[i].shader] += surface_area(q->bsp, &q->bsp->surfaces[i]);
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->shaders); i++)
        if (areas[i] > 0 && q->materials[i].shader)
            arrput(skies, ((struct sky){&q->materials[i], (int)i, areas[i]}));
    memory_free(areas);
    return skies;
}

static bool same_light(const struct quake3_light *q, const struct sky *skies)
{
    const struct vec3 first = arrlen(skies) ? sky_emission(q, &skies[0]) : vec3(0, 0, 0);
    for (ptrdiff_t i = 1; i < arrlen(skies); i++)
        if (vec3_length(vec3_sub(sky_emission(q, &skies[i]), first)) > 1e-6)
            return false;
    return true;
}

void quake3_add_skies(struct quake3_light *q)
{
    struct sky *skies = q->options->quake3.no_surfaces ? NULL : find_skies(q);
    const bool joined = q->options->quake3.one_sky || !bsp_vis_clusters(q->bsp);
    const bool own = !joined && !same_light(q, skies);
    struct vec3 emission = vec3(0, 0, 0);
    for (ptrdiff_t i = 0; i < arrlen(skies); i++) {
        const struct shader *shader = skies[i].material->shader;
        for (ptrdiff_t k = 0; k < arrlen(shader->suns) && !q->no_shader_sun; k++)
            add_sun(q, &shader->suns[k], joined || arrlen(skies) < 2 ? -1 : skies[i].shader);
        if (own)
            add_own_sky(q, &skies[i]);
        else if (i == 0 || joined)
            emission = vec3_add(emission, sky_emission(q, &skies[i]));
    }
    if (arrlen(skies))
        add_sky(q, vec3_add(emission, emission_of_suns(q)));
    arrfree(skies);
}

/* ---- what may see a sky ---- */

static bool leaf_has(const struct bsp *bsp, const struct bsp_leaf *leaf, int shader)
{
    for (int k = 0; k < leaf->face_count; k++)
        if (bsp->surfaces[bsp->leaf_faces[leaf->first_face + k]].shader == shader)
            return true;
    return false;
}

/* The clusters that may see one that has surfaces of the shader. */
static void find_row(const struct bsp *bsp, int shader, size_t bytes, unsigned char *row)
{
    unsigned char *one = memory_zalloc(bytes + 1, 1);
    memset(row, 0, bytes);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        if (leaf->cluster < 0 || !leaf_has(bsp, leaf, shader))
            continue;
        bsp_vis_row(bsp, leaf->cluster, false, one);
        for (size_t k = 0; k < bytes; k++)
            row[k] |= one[k];
    }
    memory_free(one);
}

void quake3_place_suns(struct quake3_light *q)
{
    struct light_set *set = &q->lights;
    const unsigned char *last = NULL;
    for (ptrdiff_t i = 0; i < arrlen(set->lights) && set->row_bytes; i++) {
        unsigned char *row = set->rows + (size_t)i * set->row_bytes;
        const int sky = set->lights[i].sky;
        if (sky > 0 && last && set->lights[i - 1].sky == sky)
            memcpy(row, last, set->row_bytes);
        else if (sky > 0)
            find_row(q->bsp, sky - 1, set->row_bytes, row);
        last = sky > 0 ? row : NULL;
    }
}
