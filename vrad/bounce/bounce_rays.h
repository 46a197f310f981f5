/* How many rays a point needs, as those that carried light tell. */
#ifndef VRAD_BOUNCE_BOUNCE_RAYS_H
#define VRAD_BOUNCE_BOUNCE_RAYS_H

#include "vrad/bounce/bounce_solve.h"

/* Steps of a factor of two in the number of rays. */
enum { BOUNCE_FEWEST = -1, BOUNCE_MAX = 1 };

/* How far the light scatters that single rays bring to the points of the webs. */
struct bounce_rays {
    const struct bounce_webs *webs; /* borrowed */
    float **scatter; /* one a face, of one a point: the variance, by the square of the
                        light there; after the points the mean of the face */
};

/* For webs whose light is solved. Free with bounce_rays_free. */
void bounce_rays_learn(const struct env *env, const struct bounce_webs *webs,
                       struct bounce_rays *out);
void bounce_rays_free(struct bounce_rays *rays);

/* BOUNCE_FEWEST .. BOUNCE_MOST for a point that is to gather light on a luxel. Where light is even
 * a quarter of the rays will do, and those that are spared help more where it is not. The rays that
 * decide it are no part of what is gathered, or points that missed something bright by chance would
 * get few. */
int bounce_rays_step(const struct bounce_rays *rays, int face, int luxel);

#endif
