/* The lights of a map, from its entities and texture lights. */
#ifndef VRAD_LIGHTS_LIGHT_SET_H
#define VRAD_LIGHTS_LIGHT_SET_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/env.h"

struct entity_view;
struct light; /* light.h */
struct rad_file;

/* Where local lights of a set end, as in games whose maps are made for it; zeros: nowhere. Values
 * are of 255 and of the brightest channel. */
struct light_end {
    double envelope;  /* beyond the distance at which a light gives so little to what faces it */
    double received;  /* and where a surface, with all cosines, would get so little of it */
    double of_points; /* the same of point lights and spotlights, on luxels */
};

struct light_set {
    struct light *lights; /* stb_ds array, in the order of the worldlights lump */
    struct arena shapes;  /* of texture lights */
    struct light_end end;
    int sun, sky;        /* indices of the sun and of the sky's ambient light, or -1; each
                            light_directional is another sun */
    size_t row_bytes;    /* 0: no visibility, all lights may reach everywhere */
    unsigned char *rows; /* stb_ds array, one PVS row per light */
};

/* Options for collecting the lights. */
struct light_options {
    bool hdr;                /* use the HDR colours and scales */
    double soft_sun_degrees; /* > 0: overrides SunSpreadAngle */
    bool finite_falloff;     /* as with _hardfalloff on all lights */
    double chop;             /* maximum side of a patch in luxels; 0: 4 */
    double disp_chop;        /* the same for displacements; 0: 8 */
    double min_emission; /* minimum emission of a material that is a light, mean of the channels; 0:
                            0.1 */
};

/* Collects the lights of `entities` and the surface lights of `rad` (NULL: none). Invalid keys are
 * reported (R0xx) with the entity's id and origin, and replaced by defaults: it never fails. Free
 * with lights_free. */
void lights_collect(const struct env *env, const struct light_options *options,
                    const struct bsp *bsp, const struct entity_view *entities,
                    const struct rad_file *rad, struct light_set *out);
/* Finds the clusters of the lights of a set, and their PVS rows. */
void lights_place(const struct bsp *bsp, struct light_set *set);
void lights_free(struct light_set *set);

/* Returns true if the light may reach the cluster: also without visibility, for cluster -1, for
 * lights in solid, and for the sun and the sky (see scene_sees_sky). */
bool light_reaches(const struct light_set *set, int light, int cluster);

/* Returns true if a local light of the set ends before that distance. */
bool light_ends_before(const struct light_set *set, const struct light *light, double distance);

/* The end that holds for luxels by what they would receive of the light; 0: none. */
double light_end_received(const struct light_set *set, const struct light *light);

/* Returns true if it does, or if it is too weak for a surface that would receive `share` of its
 * intensity there. */
bool light_has_ended(const struct light_set *set, const struct light *light, double distance,
                     double share);

/* Appends the surface lights to the set in the reverse order of the lump, without clusters. */
void texture_lights_collect(const struct light_options *options, const struct bsp *bsp,
                            const struct entity_view *entities, const struct rad_file *rad,
                            struct light_set *set);

#endif
