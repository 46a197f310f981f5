/* What lamps and suns give to a flat face without rays. The shadows of lamps are cast on the plane
 * of its luxels: exact where a shadow's edge lies, and nearly free where there is none. A sun is
 * settled where all of the face sees all of it, or none of it does. */
#ifndef VRAD_DIRECT_ANALYTIC_VISIBILITY_H
#define VRAD_DIRECT_ANALYTIC_VISIBILITY_H

#include "vrad/direct/face_samples.h"
#include "vrad/direct/light_contribution.h"

/* A luxel that a shadow's edge crosses, or where the light changes fast. */
struct penumbra_luxel {
    int luxel, at; /* of the face; of the window */
    int first;     /* the outlines that cross it, as planar_shadow_hide takes them; -1: none */
    float peak;    /* as of the share */
};

/* What stands before a face, and the plane on which its shadows are cast. */
struct face_shadows {
    const struct occluders *occluders;
    const struct occluders *skies; /* polygons of the sky */
    struct shadow_plane *plane;
    int *last_umbra; /* one per light: the body that hid all of a face last, or -1 */
    const struct face_samples *points;      /* NULL: no shadows can be cast, all lights take rays */
    struct penumbra_luxel *penumbra_luxels; /* stb_ds array: of all shares */
};

/* Fills the share of a point, spot or surface light, with its window. `far`: what it gives to the
 * middle of a luxel is what it gives to all of it. False when it takes rays: nothing but the window
 * is changed then. */
bool local_light_visibility(const struct receiver *to, struct face_shadows *shadows,
                            struct light_contribution *contribution, bool far);

/* Does the doubtful luxels of the share again, finely. */
void local_light_refine(const struct receiver *to, const struct face_shadows *shadows,
                        struct light_contribution *contribution, struct fine_cache *cache);

/* Settles the share of a sun: nothing falls on the face (the share has no width), or all of it is
 * lit. False when rays have to tell. */
bool sun_visibility_resolve(const struct receiver *to, const struct face_shadows *shadows,
                            struct light_contribution *contribution);

#endif
