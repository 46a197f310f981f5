/* Light sources, on the scale of the lightmap bytes: 255 is white. */
#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"
#include "vrad/target/quake3/scene/scene.h"

/* Default brightness of a light entity, and the light per unit of brightness at distance 1. */
#define DEFAULT_LIGHT 300.0
#define PHOTONS       7500.0

/* Minimum distance of attenuation. */
#define MIN_DISTANCE 16.0

/* Linear lights: photons divided by this, minus the distance. */
#define LINEAR_SHARE 8000.0

/* Spotlights: radius at the target, and the fraction of the cone's angle that is lit in full. */
#define SPOT_RADIUS 64.0
#define SPOT_CORE   0.75

enum { LIGHT_LINEAR = 1 }; /* spawnflags */

/* Light of a fully visible sky per unit of q3map_skyLight. */
#define SKY_EMISSION 0.45

static double brightness_of(const struct entity *entity)
{
    double value = entity_number(entity, "_light", entity_number(entity, "light", DEFAULT_LIGHT));
    return value * entity_number(entity, "scale", 1);
}

/* ---- entities ---- */

static const struct entity *target_of(const struct quake3_light *q, const struct entity *entity)
{
    const char *name = entity_value(entity, "target");
    for (ptrdiff_t i = 0; *name && i < arrlen(q->entities.entities); i++)
        if (str_equal_nocase(entity_value(&q->entities.entities[i], "targetname"), name))
            return &q->entities.entities[i];
    return NULL;
}

/* Returns true if it has a target. */
static bool aim_spot(struct quake3_light *q, const struct entity *entity, struct light *light)
{
    const struct entity *target = target_of(q, entity);
    struct vec3 at;
    if (!target || !entity_vector(target, "origin", &at)) {
        struct diag_where where = {.has_point = true};
        memcpy(where.point, light->origin.e, sizeof where.point);
        if (*entity_value(entity, "target"))
            diag_report(q->env->diag, DIAG_LIGHT_TARGET, &where, "\"%s\" of %s",
                        entity_value(entity, "target"), entity_value(entity, "classname"));
        return false;
    }
    struct vec3 way = vec3_sub(at, light->origin);
    double distance = vec3_length(way);
    if (!(distance > 0))
        return false;
    double angle = atan(fmax(entity_number(entity, "radius", SPOT_RADIUS), 1) / distance);
    light->type = WORLDLIGHT_SPOT;
    light->normal = vec3_scale(way, 1 / distance);
    light->stopdot = cos(SPOT_CORE * angle);
    light->stopdot2 = cos(angle);
    light->exponent = 1;
    return true;
}

static void set_falloff(const struct entity *entity, double photons, struct light *light)
{
    double fade = entity_number(entity, "fade", 1), extra = entity_number(entity, "_extradist", 0);
    light->min_distance = MIN_DISTANCE;
    if ((int)entity_number(entity, "spawnflags", 0) & LIGHT_LINEAR) {
        double reach = photons / LINEAR_SHARE;
        light->intensity = vec3_scale(light->intensity, reach);
        light->ramp = fade / reach;
        return;
    }
    light->intensity = vec3_scale(light->intensity, photons);
    light->quadratic = 1;
    light->constant = extra * extra;
}

static void add_light_entity(struct quake3_light *q, int number, const struct entity *entity)
{
    struct light light = {.type = WORLDLIGHT_POINT, .face = -1, .entity = number};
    double photons = brightness_of(entity) * PHOTONS * q->options->quake3.point_scale;
    if (!entity_vector(entity, "origin", &light.origin) || !(photons > 0) || photons > 1e12)
        return;
    double style = entity_number(entity, "style", entity_number(entity, "_style", 0));
    light.style = q->map_name && style >= 0 && style < 64 ? (int)style : 0;
    if (style != light.style) {
        struct diag_where where = {.has_point = true};
        memcpy(where.point, light.origin.e, sizeof where.point);
        diag_report(q->env->diag, DIAG_LIGHT_STYLED, &where, "style %g is not baked into lightmaps",
                    style);
        return;
    }
    light.intensity = quake3_colour_of(entity);
    bool aims = aim_spot(q, entity, &light);
    if (aims && entity_number(entity, "_sun", 0) != 0) {
        light.type = WORLDLIGHT_SKY;
        light.intensity = vec3_scale(light.intensity, brightness_of(entity));
    } else {
        set_falloff(entity, photons, &light);
    }
    arrput(q->lights.lights, light);
}

/* ---- suns and skies ---- */

static void add_sun(struct quake3_light *q, const struct shader_sun *from)
{
    struct light light = {.type = WORLDLIGHT_SKY, .face = -1, .entity = -1};
    if (!(from->intensity > 0))
        return;
    light.normal = vec3_neg(from->direction);
    light.intensity = vec3_scale(from->colour, from->intensity);
    light.spread = sin(from->deviance * PI / 180);
    arrput(q->lights.lights, light);
}

static void add_sky(struct quake3_light *q, struct vec3 emission)
{
    struct light light = {.type = WORLDLIGHT_SKY_AMBIENT, .face = -1, .entity = -1};
    if (!(emission.x > 0 || emission.y > 0 || emission.z > 0))
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

static struct vec3 sky_emission(const struct quake3_light *q, const struct shader *shader)
{
    struct vec3 emission = shader->surface_light > 0 ? quake3_emission(q, shader) : vec3(0, 0, 0);
    for (ptrdiff_t k = 0; k < arrlen(shader->sky_lights); k++)
        emission = vec3_mad(emission, quake3_unit_colour(shader->average),
                            shader->sky_lights[k].value * SKY_EMISSION);
    return emission;
}

/* The ambient light of suns that came from a Source map. */
static struct vec3 emission_of_suns(const struct quake3_light *q)
{
    struct vec3 emission = vec3(0, 0, 0), colour;
    for (ptrdiff_t i = 1; i < arrlen(q->entities.entities); i++) {
        const struct entity *entity = &q->entities.entities[i];
        if (entity_is(entity, "light") && entity_number(entity, "_sun", 0) != 0 &&
            light_colour(entity_value(entity, "_ambient"), false, &colour))
            emission = vec3_add(emission, colour);
    }
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
        for (ptrdiff_t k = 0; k < arrlen(shader->suns); k++)
            add_sun(q, &shader->suns[k]);
        sky = vec3_mad(sky, sky_emission(q, shader), areas[i]);
        total += areas[i];
    }
    if (total > 0)
        add_sky(q, vec3_add(vec3_scale(sky, 1 / total), emission_of_suns(q)));
    memory_free(areas);
}

void quake3_find_lights(struct quake3_light *q)
{
    for (ptrdiff_t i = 1; i < arrlen(q->entities.entities); i++) {
        const struct entity *entity = &q->entities.entities[i];
        if (entity_is(entity, "light"))
            add_light_entity(q, (int)i, entity);
    }
    quake3_add_surface_lights(q);
    add_skies(q);
    q->lights.sun = q->lights.sky = -1;
    for (int i = 0; i < (int)arrlen(q->lights.lights); i++) {
        if (q->lights.lights[i].type == WORLDLIGHT_SKY && q->lights.sun < 0)
            q->lights.sun = i;
        if (q->lights.lights[i].type == WORLDLIGHT_SKY_AMBIENT)
            q->lights.sky = i;
    }
    lights_place(q->bsp, &q->lights);
}
