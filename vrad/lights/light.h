/* A light of a map, ready for evaluation. The lights of a whole map: light_set.h.
 *
 * Colours are linear, on the scale of the lightmaps: 255 is white. The formulas are those of the
 * worldlights lump, which the engine uses. */
#ifndef VRAD_LIGHTS_LIGHT_H
#define VRAD_LIGHTS_LIGHT_H

#include "common/bsp/worldlight.h"
#include "common/core/bytes.h"
#include "common/core/portable_math.h"
#include "common/geom/vec.h"

struct entity;
struct patch_shape;

/* Surface lights are offset by this from their face, so that it does not occlude them. */
#define SURFACE_LIFT (1.0 / 32)

struct light {
    const struct patch_shape *shape; /* of texture lights, borrowed of the set; NULL: none */
    /* Other surface lights: half the sides of the parallelogram, for near points; zeros: a point
     * only. Near points get near_share of the area light's irradiance, far points all of it. */
    struct vec3 side[2];
    double near_share;

    enum worldlight_type type;
    struct vec3 origin;
    struct vec3 normal;    /* unit: direction (spot, surface, sun) */
    struct vec3 intensity; /* see light_at; of the sun and the sky: on a surface that faces it */
    int style;
    double stopdot, stopdot2;           /* spot: cosines of the inner and the outer cone */
    double exponent;                    /* spot: of the falloff between the cones; 0: 1 */
    double beam, beam_edge;             /* spot: if > 0, in place of these: the radius per unit of
                                           distance along the axis, and the units inside of it
                                           across which the light fades */
    double constant, linear, quadratic; /* attenuation 1 / (c + l d + q d^2) */
    double cap_distance;                /* beyond it the attenuation is constant; 0: nowhere */
    double fade_start, fade_end;        /* fades out between; fade_end 0: never */
    double radius;                      /* _distance, for the engine only */
    int cluster;                        /* of its leaf; -1: in solid */
    int flags;                          /* enum light_flag */
    int face;                           /* surface: the emissive face; else -1 */
    int sky; /* suns: 1 + the number of the shader of the only sky through which it shines; 0: all
              */
    const struct entity *entity; /* borrowed; NULL: a surface light, or of a shader */
    double spread;               /* suns: sine of the angular radius */
    double min_distance;         /* point, spot: minimum distance for the attenuation; 0: 1 */
    double ramp;   /* point, spot: > 0: linear attenuation 1 - ramp d instead of the polynomial */
    int match_id;  /* number shared by matching lights of all sets of a run: ray_hit_cache.h */
    double facing; /* point, spot: multiplies the cosine at the receiver, up to 1; 0: plain */
    bool half_lambert; /* point, spot, surface: see light_facing */
    double parts;      /* number of lights that one lamp is split into, whose sum counts where weak
                          light is dropped, or another factor of its grey, which is negative of
                          light that is; 0: 1 */
    double softening;  /* surface: area / pi of a patch, which is softened to a disk nearby; 0: a
                          point */
};

/* Light at a grazing angle (the cosine is within rounding of 0) does not light a surface, nor its
 * bump maps. */
#define LIGHT_GRAZING 1e-5f

/* Rays to local lights end this far before the light, in units, so that its own surface does not
 * block them. */
#define LIGHT_GAP 0.02

/* The mean of the channels of its intensity. */
static inline double light_grey(const struct light *light)
{
    return (light->intensity.x + light->intensity.y + light->intensity.z) / 3;
}

/* The number of its entity in the editor, for messages alone: it depends on other entities. 0: it
 * is unknown. */
int light_id(const struct light *light);

/* Appends all that a light gives to what it reaches: not its entity, nor its match_id. */
void light_append(const struct light *light, struct bytes *out);

/* Attenuation of point, spot and surface lights: the share of the intensity at `point` on a surface
 * that faces the light, unoccluded; the caller multiplies by the intensity, the cosine at the
 * receiver and the visibility. Returns the unit direction to the light and the distance as well. 0
 * outside the cone or behind the surface. */
double light_at(const struct light *light, struct vec3 point, struct vec3 *direction,
                double *distance);

/* Batched evaluation of light_at, in single precision: arrays of `count` numbers, owned by the
 * caller. */
struct light_rows {
    int count;
    const float *point[3];
    float *direction[3]; /* unit, to the light */
    float *distance;
    float *attenuation; /* as from light_at */
};

/* For point, spot and surface lights. */
void light_at_batch(const struct light *light, const struct light_rows *rows);

/* Returns true if a point at that distance from the middle of a surface light is so near that it is
 * evaluated as an area light, a parallelogram. Never for lights without sides. */
bool area_light_is_near(const struct light *light, double distance);
/* The end of that range; 0: none. */
double area_light_near(const struct light *light);

/* The brightness of the whole lamp if that of a light is `value`: culling radii and minima are
 * those of the lamp. */
static inline double light_whole(const struct light *light, double value)
{
    return light->parts != 0 ? value * light->parts : value;
}

/* Returns true if surfaces do not receive its light by the plain cosine. */
static inline bool light_has_facing(const struct light *light)
{
    return light->facing > 0 || light->half_lambert;
}

/* The share that a surface receives whose normal has this cosine to the light. Half Lambert: the
 * square of the cosine scaled from -1 .. 1 to 0 .. 1, as far as the surface faces the light. */
static inline double light_facing(const struct light *light, double cosine)
{
    if (light->half_lambert && cosine > 0 && !(light->facing > 0))
        return (0.5 + 0.5 * cosine) * (0.5 + 0.5 * cosine);
    if (!(light->facing > 0))
        return cosine;
    return cosine > 0 ? portable_fmin(light->facing * cosine, 1) : 0;
}

/* Attenuation by distance only. The minimum distance is 1, or min_distance. */
double light_falloff(const struct light *light, double distance);

/* The origin of the rays of a point, spot or surface light. */
struct vec3 light_source(const struct light *light);

/* Parses "r g b [brightness]", or eight numbers of which the last four are for HDR: each colour c
 * becomes 255 (c/255)^2.2, times brightness/255. False when the text is not a colour, or when a
 * number is negative, which means "not set". */
bool light_colour(const char *text, bool hdr, struct vec3 *out);

/* Converts _fifty_percent_distance and _zero_percent_distance (d0 >= d50 > 0) to a polynomial in d
 * that is monotone between 0 and d0: from 1 at 0 to 256 at d0, scaled so that d50 gives 2 (half of
 * the light). It passes through 2 at d50, and is bent towards the straight line in steps of 5 %
 * until it is monotone. */
void light_fifty_percent(double d50, double d0, double *constant, double *linear,
                         double *quadratic);

#endif
