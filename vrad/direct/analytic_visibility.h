/* What lamps and suns give to a flat face without rays. The shadows of lamps are cast on the plane
 * of its luxels: exact where a shadow's edge lies, and nearly free where there is none. A sun is
 * settled where all of the face sees all of it, or none of it does. */
#ifndef VRAD_DIRECT_ANALYTIC_VISIBILITY_H
#define VRAD_DIRECT_ANALYTIC_VISIBILITY_H

#include "vrad/direct/face_samples.h"
#include "vrad/direct/light_contribution.h"

/* A luxel that a shadow's edge crosses, or where the light changes fast. */
struct share_doubt {
    int luxel, at; /* of the face; of the window */
    int first;     /* the outlines that cross it, as shadow_hide takes them; -1: none */
    float peak;    /* as of the share */
};

/* What stands before a face, and the plane on which its shadows are cast. */
struct face_shadows {
    const struct shadow_bodies *bodies;
    const struct shadow_bodies *skies; /* polygons of the sky */
    struct shadow_plane *plane;
    int *covers;                  /* one a light: the body that hid all of a face last, or -1 */
    const struct lamp_face *lamp; /* NULL: no shadows can be cast, all lights take rays */
    struct share_doubt *doubts;   /* stb_ds array: of all shares */
};

/* Fills the share of a point, spot or surface light, with its window. `far`: what it gives to the
 * middle of a luxel is what it gives to all of it. False when it takes rays: nothing but the window
 * is changed then. */
bool lamp_share_cast(const struct receiver *to, struct face_shadows *shadows,
                     struct light_share *share, bool far);

/* Does the doubtful luxels of the share again, finely. */
void lamp_share_refine(const struct receiver *to, const struct face_shadows *shadows,
                       struct light_share *share, struct fine_cache *cache);

/* Settles the share of a sun: nothing falls on the face (the share has no width), or all of it is
 * lit. False when rays have to tell. */
bool sun_share_settle(const struct receiver *to, const struct face_shadows *shadows,
                      struct light_share *share);

#endif
