/* Light sources: suns and skies, and all together, on the scale of the lightmap bytes: 255 is
 * white. */
#include <math.h>
#include <string.h>

#include "common/bsp/sidecar/baked_lights.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vrad/target/quake3/level/srgb.h"
#include "vrad/target/quake3/scene/scene.h"

/* Light of a fully visible sky per unit of q3map_skyLight. */
#define SKY_EMISSION 0.45

/* Local lights end at one step of the bytes of light: by distance or, with -fast, by what a surface
 * would receive; measured. */
#define LIGHT_END 1.0

/* ---- suns and skies ---- */

static void add_sun(struct quake3_light *q, const struct shader_sun *from)
{
    struct light light = {.type = WORLDLIGHT_SKY, .face = -1};
    if (!(from->intensity > 0))
        return;
    light.normal = vec3_neg(from->direction);
    light.intensity =
        vec3_scale(srgb_colour(from->colour, q->options->quake3.srgb_colours), from->intensity);
    light.spread = portable_sin(from->deviance * PI / 180);
    arrput(q->lights.lights, light);
}

static void add_sky(struct quake3_light *q, struct vec3 emission)
{
    struct light light = {.type = WORLDLIGHT_SKY_AMBIENT, .face = -1};
    if (!(emission.x > 0 || emission.y > 0 || emission.z > 0) || q->options->quake3.sun_only)
        return;
    light.intensity = vec3_scale(emission, q->options->sky_scale);
    arrput(q->lights.lights, light);
}

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

static struct vec3 sky_emission(const struct quake3_light *q,
                                const struct quake3_material *material)
{
    const struct shader *shader = material->shader;
    struct vec3 emission = vec3(0, 0, 0);
    if (shader->surface_light > 0)
        emission = quake3_emission(q, material);
    for (ptrdiff_t k = 0; k < arrlen(shader->sky_lights); k++)
        emission = vec3_mad(emission, quake3_unit_colour(material->average),
                            shader->sky_lights[k].value * SKY_EMISSION);
    return emission;
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

/* From the visible skies: each sun, and the mean of their sky lights by area. */
static void add_skies(struct quake3_light *q)
{
    struct vec3 sky = vec3(0, 0, 0);
    double total = 0;
    double *areas = memory_zalloc(arrlenu(q->bsp->shaders) + 1, sizeof *areas);
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->surfaces); i++)
        if (q->surfaces[i].material->blocking == MATERIAL_SKY)
            areas[q->bsp->surfaces[i].shader] += surface_area(q->bsp, &q->bsp->surfaces[i]);
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->shaders); i++) {
        const struct shader *shader = q->materials[i].shader;
        if (!(areas[i] > 0) || !shader)
            continue;
        for (ptrdiff_t k = 0; k < arrlen(shader->suns) && !q->no_shader_sun; k++)
            add_sun(q, &shader->suns[k]);
        sky = vec3_mad(sky, sky_emission(q, &q->materials[i]), areas[i]);
        total += areas[i];
    }
    if (total > 0)
        add_sky(q, vec3_add(vec3_scale(sky, 1 / total), emission_of_suns(q)));
    memory_free(areas);
}

/* Finds the sun and the sky among the lights, and which clusters each reaches. */
static void place_lights(struct quake3_light *q)
{
    q->lights.sun = q->lights.sky = -1;
    for (int i = 0; i < (int)arrlen(q->lights.lights); i++) {
        if (q->lights.lights[i].type == WORLDLIGHT_SKY && q->lights.sun < 0)
            q->lights.sun = i;
        if (q->lights.lights[i].type == WORLDLIGHT_SKY_AMBIENT)
            q->lights.sky = i;
    }
    lights_place(q->bsp, &q->lights);
}

void quake3_set_end(struct light *light, double number)
{
    struct vec3 colour = light->intensity;
    double grey = light_grey(light);
    double brightest = portable_fmax(colour.x, portable_fmax(colour.y, colour.z));
    light->parts = grey > 0 ? number * brightest / grey : number;
}

void quake3_find_lights(struct quake3_light *q)
{
    if (!q->options->physical)
        q->lights.end =
            (struct light_end){.envelope = LIGHT_END, .received = q->options->fast ? LIGHT_END : 0};
    quake3_add_entity_lights(q);
    if (!q->options->quake3.sun_only)
        quake3_add_surface_lights(q);
    add_skies(q);
    place_lights(q);
}

void quake3_use_grid_lights(struct quake3_light *q)
{
    struct light *lights = q->lights.lights;
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < arrlen(lights); i++)
        if (!(lights[i].flags & LIGHT_NOT_ON_GRID))
            lights[kept++] = lights[i];
    if (kept == arrlen(lights) && !arrlen(q->grid_lights))
        return;
    if (lights)
        arrsetlen(q->lights.lights, (size_t)kept);
    for (ptrdiff_t i = 0; i < arrlen(q->grid_lights); i++)
        arrput(q->lights.lights, q->grid_lights[i]);
    place_lights(q);
}
