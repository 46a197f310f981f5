/* Adaptive ray counts of the final gather, estimated from the transport rays. */
#ifndef VRAD_BOUNCE_BOUNCE_RAYS_H
#define VRAD_BOUNCE_BOUNCE_RAYS_H

#include "vrad/bounce/bounce_solve.h"

/* Steps of a factor of two in the number of rays. */
enum { BOUNCE_MIN = -2, BOUNCE_USUAL_MAX = 3, BOUNCE_MAX = 4 };

/* Variance of single rays at the transport points. */
struct bounce_rays {
    const struct transport_rays *transport; /* borrowed */
    bool generous;                          /* the map is small */
    int max;                                /* step */
    float **scatter; /* one per face: one value per point, and after the points what is known of the
                        face */
};

/* For solved transport rays. Steps are up to `max`, at most BOUNCE_USUAL_MAX, and one more on small
 * maps. Free with bounce_rays_free. */
void bounce_rays_estimate(const struct env *env, const struct transport_rays *transport, int max,
                          struct bounce_rays *out);
void bounce_rays_free(struct bounce_rays *rays);

/* Returns the step, at least BOUNCE_MIN, for a point that gathers light at a luxel. Where
 * light is even a quarter of the rays is enough, and the saved ones help more elsewhere. The
 * estimate uses other rays than the gather itself: otherwise points that missed something bright by
 * chance would get few. */
int bounce_rays_step(const struct bounce_rays *rays, int face, int luxel);

#endif
