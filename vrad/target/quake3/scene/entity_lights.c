/* Lights of the entities light and lightJunior, on the scale of the lightmap bytes: 255 is white.
 */
#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/light_options.def"
#include "common/diag/codes/lights.def"
#include "common/geom/angle.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/scene/hemisphere.h"
#include "vrad/target/quake3/level/srgb.h"
#include "vrad/target/quake3/scene/scene.h"

/* Default brightness of a light entity, and the light per unit of brightness at distance 1. */
#define DEFAULT_LIGHT 300.0
#define PHOTONS       7500.0

/* Minimum distance of attenuation. */
#define MIN_DISTANCE 16.0

/* Linear lights: photons divided by this, minus the distance. */
#define LINEAR_SHARE 8000.0

/* Spotlights: radius at the target, by how much the cone of light is wider there, and units inside
 * of it across which light fades, as measured on the lightmaps of maps. */
#define SPOT_RADIUS 64.0
#define SPOT_WIDER  16.0
#define SPOT_EDGE   32.0

enum light_spawnflag {
    LIGHT_LINEAR = 1,
    LIGHT_ANY_ANGLE = 2,   /* full light on surfaces at any angle */
    LIGHT_NO_GRID = 16,    /* none for the light grid */
    LIGHT_OWN_COLOUR = 32, /* its colour is not divided by the largest component */
};

/* Multiplies the cosine at the receiver for full light at any angle. */
#define ANY_ANGLE 1e6

/* Samples of a light with _deviance: without _samples, and at most. */
enum { SOFT_SAMPLES = 16, MAX_SAMPLES = 256 };

/* A number for which 0 is the same as no key. */
static double number_but_0(const struct entity *entity, const char *key, double otherwise)
{
    double value = entity_number(entity, key, 0);
    return value != 0 ? value : otherwise;
}

/* Negative: it takes light away. */
static double brightness_of(const struct entity *entity)
{
    double value = number_but_0(entity, "_light", number_but_0(entity, "light", DEFAULT_LIGHT));
    return value * number_but_0(entity, "scale", 1);
}

static bool has_flag(const struct entity *entity, enum light_spawnflag flag)
{
    return (int)entity_number(entity, "spawnflags", 0) & (int)flag;
}

/* Its hue, unless a spawnflag asks for the colour as it is written; black is white. */
static struct vec3 colour_of(const struct quake3_light *q, const struct entity *entity)
{
    struct vec3 colour = vec3(1, 1, 1);
    if (!entity_vector(entity, "_color", &colour) || !vec3_is_finite(colour))
        return vec3(1, 1, 1);
    for (int k = 0; k < 3; k++)
        colour.e[k] = portable_fmax(colour.e[k], 0);
    if (!(colour.x + colour.y + colour.z > 0))
        return vec3(1, 1, 1);
    colour = srgb_colour(colour, q->options->quake3.srgb_colours);
    return has_flag(entity, LIGHT_OWN_COLOUR) ? colour : quake3_unit_colour(colour);
}

static const struct entity *target_of(const struct quake3_light *q, const struct entity *entity)
{
    const char *name = entity_value(entity, "target");
    const struct entity_filter named = {.key = "targetname", .value = name};
    return *name ? entity_view_next(q->entities, entity_query_of(&named), NULL) : NULL;
}

static struct diag_where at_light(const struct light *light)
{
    struct diag_where where = {.has_point = true};
    memcpy(where.point, light->origin.e, sizeof where.point);
    return where;
}

/* Returns true if it has a target. */
static bool aim_spot(struct quake3_light *q, const struct entity *entity, struct light *light)
{
    const struct entity *target = target_of(q, entity);
    struct vec3 at;
    if (!target || !entity_vector(target, "origin", &at)) {
        const struct diag_where where = at_light(light);
        if (*entity_value(entity, "target"))
            diag_report(q->env->diag, DIAG_LIGHT_TARGET, &where, "\"%s\" of %s",
                        entity_value(entity, "target"), entity_value(entity, "classname"));
        return false;
    }
    struct vec3 way = vec3_sub(at, light->origin);
    double distance = vec3_length(way);
    if (!(distance > 0))
        return false;
    light->type = WORLDLIGHT_SPOT;
    light->normal = vec3_scale(way, 1 / distance);
    light->beam = portable_fmax(number_but_0(entity, "radius", SPOT_RADIUS), 1) + SPOT_WIDER;
    light->beam /= distance;
    light->beam_edge = SPOT_EDGE;
    return true;
}

/* Linear lights light surfaces at any angle alike; spotlights never are. */
static void set_falloff(const struct quake3_options *own, const struct entity *entity,
                        double photons, struct light *light)
{
    double extra = entity_number(entity, "_extradist", 0);
    light->min_distance = MIN_DISTANCE;
    if (light->type == WORLDLIGHT_POINT && has_flag(entity, LIGHT_LINEAR) != own->linear) {
        double reach = photons / LINEAR_SHARE;
        light->intensity = vec3_scale(light->intensity, reach);
        light->ramp = number_but_0(entity, "fade", 1) / fabs(reach);
        light->facing = ANY_ANGLE;
        return;
    }
    light->intensity = vec3_scale(light->intensity, photons);
    light->quadratic = 1;
    light->constant = extra * extra;
}

/* _anglescale: full light on surfaces turned away by up to its arc cosine. Spotlights light none at
 * any angle. */
static void set_facing(const struct quake3_options *own, const struct entity *entity,
                       struct light *light)
{
    light->half_lambert = own->half_lambert != 0;
    double scale = entity_number(entity, "_anglescale", 0);
    if (light->type == WORLDLIGHT_POINT && has_flag(entity, LIGHT_ANY_ANGLE))
        light->facing = ANY_ANGLE;
    else if (scale > 0)
        light->facing = portable_fmin(1 / scale, ANY_ANGLE);
}

/* A light ends by its brightness without its colour, if that is not a hue. */
static void set_end(struct light *light, double brightest, double count)
{
    double grey = light_grey(light);
    light->parts = grey != 0 ? count * brightest / grey : 0;
}

/* One light, or _samples lights evenly in a ball with the radius _deviance, which together are as
 * bright: their shadows make a soft one. */
static void add_in_ball(const struct entity *entity, const struct light *light, double brightest,
                        struct light **out)
{
    double radius = entity_number(entity, "_deviance", 0);
    double samples = entity_number(entity, "_samples", SOFT_SAMPLES);
    int count = radius > 0 ? (int)portable_fmin(portable_fmax(samples, 1), MAX_SAMPLES) : 1;
    for (int i = 0; i < count; i++) {
        struct light one = *light;
        double square[2];
        sample_square((uint32_t)i, 0, square);
        if (count > 1)
            one.origin = vec3_mad(light->origin, sphere_point(square),
                                  radius * portable_cbrt(((double)i + 0.5) / count));
        one.intensity = vec3_scale(light->intensity, 1.0 / count);
        set_end(&one, brightest / count, count);
        arrput(*out, one);
    }
}

static void add_light_entity(struct quake3_light *q, const struct entity *entity)
{
    struct light light = {.type = WORLDLIGHT_POINT, .face = -1};
    const struct quake3_options *own = &q->options->quake3;
    double photons = brightness_of(entity) * PHOTONS * own->point_scale;
    if (!entity_vector(entity, "origin", &light.origin) || !(fabs(photons) <= 1e12))
        return;
    double style = entity_number(entity, "style", entity_number(entity, "_style", 0));
    if (own->no_styles)
        style = 0;
    light.style = q->takes_styles && style >= 0 && style < 64 ? (int)style : 0;
    if (style != light.style) {
        const struct diag_where where = at_light(&light);
        diag_report(q->env->diag, DIAG_LIGHT_STYLED, &where, "style %g is not baked into lightmaps",
                    style);
        return;
    }
    struct light **out = entity_is(entity, "lightJunior") ? &q->grid_lights : &q->lights.lights;
    light.flags = has_flag(entity, LIGHT_NO_GRID) ? LIGHT_NOT_ON_GRID : 0;
    light.intensity = colour_of(q, entity);
    bool aims = aim_spot(q, entity, &light);
    set_facing(own, entity, &light);
    if (aims && entity_number(entity, "_sun", 0) != 0) {
        light.type = WORLDLIGHT_SKY;
        light.intensity = vec3_scale(light.intensity, brightness_of(entity));
        light.parts = brightness_of(entity) < 0 ? -1 : 0;
        light.spread = portable_sin(
            portable_fmin(portable_fmax(entity_number(entity, "_deviance", 0), 0), 90) * PI / 180);
        arrput(*out, light);
        return;
    }
    photons *= aims ? own->spot_scale : own->spherical_scale;
    if (own->sun_only || photons == 0)
        return;
    const double hue = light_grey(&light);
    set_falloff(own, entity, photons, &light);
    add_in_ball(entity, &light, fabs(light_grey(&light)) / hue, out);
}

void quake3_add_entity_lights(struct quake3_light *q)
{
    const struct entity *entity = entity_view_world(q->entities);
    while (entity && (entity = entity_view_next(q->entities, quake3_lights, entity)))
        add_light_entity(q, entity);
}
