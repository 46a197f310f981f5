/* Analytic visibility: direct light on a flat face without rays. Shadows of local lights are
 * projected onto the plane of the luxels, which gives exact shadow edges. A sun is resolved if all
 * of the face sees all of it, or nothing of it. */
#ifndef VRAD_DIRECT_ANALYTIC_VISIBILITY_H
#define VRAD_DIRECT_ANALYTIC_VISIBILITY_H

#include "vrad/direct/face_samples.h"
#include "vrad/direct/light_contribution.h"

/* A luxel that a shadow edge crosses, or in which the light changes fast: a candidate for
 * supersampling. */
struct penumbra_luxel {
    int luxel, at; /* in the face; in the window */
    int first;     /* the outlines that cross it, as planar_shadow_hide takes them; -1: none */
    float peak;    /* as in the contribution */
};

/* The occluders before a face, and the plane onto which they are projected. */
struct face_shadows {
    const struct occluders *occluders;
    const struct occluders *skies; /* polygons of the sky */
    struct shadow_plane *plane;
    int *last_umbra; /* one per light: the occluder that last had all of a face in its umbra, or -1
                      */
    struct face_samples *points; /* NULL: no projection is possible, all lights need rays */
    struct penumbra_luxel *penumbra_luxels; /* stb_ds array: of all contributions */
};

/* Computes the contribution of a point, spot or surface light, and its window. `far`: a luxel's
 * middle stands for all of it. Returns false if rays are needed, as for lights with a
 * `facing` of their own; then only the window has changed. */
bool local_light_visibility(const struct receiver *to, struct face_shadows *shadows,
                            struct light_contribution *contribution, bool far);

/* Where local_light_visibility needs rays: marks the luxels that need them (shadow_marks.h). */
void local_light_mark(const struct receiver *to, const struct face_shadows *shadows,
                      struct light_contribution *contribution);

/* Supersamples the penumbra luxels of the contribution. */
void local_light_refine(const struct receiver *to, const struct face_shadows *shadows,
                        struct light_contribution *contribution, struct fine_cache *cache);

/* Resolves the contribution of a sun: none (no width), or all of the face is lit. Returns false if
 * rays are needed. */
bool sun_visibility_resolve(const struct receiver *to, const struct face_shadows *shadows,
                            struct light_contribution *contribution);
/* Then marks the luxels that need them. */
void sun_visibility_mark(const struct receiver *to, const struct face_shadows *shadows,
                         struct light_contribution *contribution);

#endif
