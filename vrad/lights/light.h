/* The lights of a map: what its entities and its glowing textures say, ready to be evaluated.
 *
 * Colours are linear light on the scale of the lightmaps: 255 is white. The formulas are those of
 * the worldlights lump, which carries them to the engine. */
#ifndef VRAD_LIGHTS_LIGHT_H
#define VRAD_LIGHTS_LIGHT_H

#include "common/bsp/bsp.h"
#include "common/env.h"
#include "common/geom/vec.h"
#include "common/text/entities.h"
#include "vrad/lights/rad_file.h"

struct light {
    /* Surface: half the sides of the parallelogram that it is, for points near it; zeros: it has no
     * such shape. Of what a shape of these sides gives to points near it, it gives near_share; from
     * afar it gives all. */
    struct vec3 side[2];
    double near_share;

    enum worldlight_type type;
    struct vec3 origin;
    struct vec3 normal;    /* unit: where it shines (spot, surface, sun) */
    struct vec3 intensity; /* see light_at; of the sun and the sky: on a surface that faces it */
    int style;
    double stopdot, stopdot2;           /* spot: cosines of the inner and the outer cone */
    double exponent;                    /* spot: of the penumbra; 0 as 1 */
    double constant, linear, quadratic; /* 1 / (c + l d + q d^2) */
    double cap_distance;                /* beyond it the polynomial stands still; 0: nowhere */
    double fade_start, fade_end;        /* fades to nothing between; fade_end 0: never */
    double radius;                      /* _distance, for the engine only */
    int cluster;                        /* of its leaf; -1: in solid */
    int flags;                          /* enum light_flag */
    int face;                           /* surface: the face that glows; else -1 */
    int entity;                         /* index in the entity list; -1: a surface light */
    int id;                             /* the editor's, of the entity; 0: not known */
    double spread;                      /* suns: sine of the angle that it is wide */
    double min_distance;                /* point, spot: nearer is as far as this; 0: 1 */
    double ramp;                        /* point, spot: > 0: 1 - ramp d instead of the polynomial */
    int twin;         /* a number that lights at one place share, in all sets of a run: recall.h */
    double softening; /* surface: area / pi of a patch, to be near to as to a disk; 0: a point */
};

/* Flags of a worldlights record. */
enum light_flag {
    LIGHT_IN_AMBIENT_CUBE = 1, /* weak: the leaves' ambient cubes hold its light */
};

/* Light that runs along a surface (the cosine is less than rounding makes of none) does not fall on
 * it, nor on its bump maps. */
#define LIGHT_GRAZING 1e-5f

struct light_set {
    struct light *lights; /* stb_ds array, in the order of the worldlights lump */
    int sun, sky;         /* indices of the sun and of the sky's ambient light, or -1; lights of a
                             light_directional are further suns */
    size_t row_bytes;     /* 0: no visibility, all lights may reach everywhere */
    unsigned char *rows;  /* stb_ds array, a row of clusters a light */
};

/* What decides the lights beside the entities. */
struct light_options {
    bool hdr;                /* take the HDR colours and scales */
    double soft_sun_degrees; /* > 0: overrides SunSpreadAngle */
    double chop;             /* luxels: a surface light is cut while it is as long; 0: 4 */
    double disp_chop;        /* the same of displacements; 0: 8 */
    double min_glow;         /* materials that glow less, on average, do not glow; 0: 0.1 */
};

/* Collects the lights of `entities` and the surface lights of `rad` (NULL: none). Odd keys are
 * reported (R0xx) with the entity's id and place, and replaced by defaults: it never fails. Free
 * with lights_free. */
void lights_collect(const struct env *env, const struct light_options *options,
                    const struct bsp *bsp, const struct entity_list *entities,
                    const struct rad_file *rad, struct light_set *out);
/* Where the lights of a set stand: fills their clusters, and the rows. */
void lights_place(const struct bsp *bsp, struct light_set *set);
void lights_free(struct light_set *set);

/* The clusters of the open leaves around a point, where a light stands: those in front of planes
 * first. An stb_ds array, the caller's. */
int *lights_clusters_around(const struct bsp *bsp, struct vec3 point);

/* Whether the light may reach the cluster. True without visibility, for cluster -1, for lights in
 * solid, and for the sun and the sky (scene_sees_sky tells of those). */
bool light_reaches(const struct light_set *set, int light, int cluster);

/* Point, spot and surface lights: the share of the intensity at `point` on a surface that faces
 * the light, with nothing in the way: the caller multiplies by intensity, by the cosine at the
 * receiver and by the visibility. Gives the unit direction to the light and the distance.
 * 0 outside the cone or behind the surface. */
double light_at(const struct light *light, struct vec3 point, struct vec3 *direction,
                double *distance);

/* light_at for many points at once, in single precision: rows of `count` numbers; those of the
 * results are the caller's. */
struct light_rows {
    int count;
    const float *point[3];
    float *direction[3]; /* unit, to the light */
    float *distance;
    float *share; /* as light_at gives it */
};

/* For point, spot and surface lights. */
void light_at_many(const struct light *light, const struct light_rows *rows);

/* Whether a point at that distance from the middle of a surface light is so near that the light's
 * shape counts: then it is the parallelogram that it is, not a point. Never of lights without
 * sides. */
bool light_is_near(const struct light *light, double distance);

/* What light_at says, of a light that is near: its share and its direction are those of the vector
 * irradiance of the parallelogram (J. H. Lambert's sum over the edges), and pass over to those of
 * the point where it stops to be near. The direction meets the parallelogram at `distance`. */
double light_near(const struct light *light, struct vec3 point, struct vec3 *direction,
                  double *distance);

/* The part of light_at that hangs on the distance alone. Distances under 1, or under
 * min_distance, count as that. */
double light_falloff(const struct light *light, double distance);

/* Where the light of a point, spot or surface light comes from. */
struct vec3 light_source(const struct light *light);

/* "r g b [brightness]", or eight numbers of which the last four are for HDR: each colour c becomes
 * 255 (c/255)^2.2, times brightness/255. False when text is no colour, or when a number is
 * negative, which stands for "not set". */
bool light_colour(const char *text, bool hdr, struct vec3 *out);

/* _fifty_percent_distance and _zero_percent_distance (d0 >= d50 > 0) as a polynomial in d that
 * never falls between 0 and d0: from 1 at 0 to 256 at d0, scaled so that d50 gives 2 (half of the
 * light). Between them it runs through 2 at d50, bent towards the straight line in steps of 5 %
 * until it is monotone. */
void light_fifty_percent(double d50, double d0, double *constant, double *linear,
                         double *quadratic);

/* The surface lights alone, appended to *lights (an stb_ds array) in the reverse of the lump's
 * order, without clusters. */
void texture_lights_collect(const struct light_options *options, const struct bsp *bsp,
                            const struct entity_list *entities, const struct rad_file *rad,
                            struct light **lights);

#endif
