/* Bounced light: radiosity with a final gather.
 *
 * Sparse points on the faces trace rays once and cache their hits. Light is iterated along these
 * transport rays until its change is negligible; the last bounce is a final gather on an adaptive
 * irradiance grid, which is refined where the light needs it, down to every luxel. Light between
 * grid points is interpolated and denoised. Style 0 only.
 *
 * The same rays can gather the light of the sky, instead of separate sky rays per luxel. */
#ifndef VRAD_BOUNCE_BOUNCE_H
#define VRAD_BOUNCE_BOUNCE_H

#include "vrad/luxels/luxel.h"
#include "vrad/scene/scene.h"

struct bounce_options {
    int bounces;      /* maximum; 0: none */
    struct vec3 sky;  /* light of the sky that `direct` lacks; 0 0 0: none */
    int rays;         /* per gather point: a power of two, at most 1024; 0: 64 */
    double spacing;   /* units between the points of the coarsest grid; 0: 80 */
    double tolerance; /* relative error at the middle of a cell up to which light is interpolated;
                         0: 0.12 */
    bool coarse; /* for a first picture: few points and rays, none of which are aimed. The other
                    fields but `bounces` and `sky` are not used */
};

/* Fills `indirect` of every lit face from the direct light. Counts are reported to
 * env->progress. */
void bounce_light(const struct env *env, const struct scene *scene, struct luxel_map *map,
                  const struct bounce_options *options);

#endif
