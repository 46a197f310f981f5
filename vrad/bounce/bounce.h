/* Bounced light: what the surfaces throw on each other, until it dies away.
 *
 * The luxels of a sparse lattice look around once, and keep what their rays saw. Along a few rays
 * of each, light goes round until what is added no longer counts; all of them together gather the
 * last bounce. For that the lattice is made finer where the light needs it, down to every luxel;
 * between, light is interpolated, and noise that neighbours show up as such is taken out. Light of
 * style 0 only.
 *
 * The same rays can bring the light of the sky, which then need not be sought luxel by luxel. */
#ifndef VRAD_BOUNCE_BOUNCE_H
#define VRAD_BOUNCE_BOUNCE_H

#include "vrad/luxels/luxel.h"
#include "vrad/scene/scene.h"

struct bounce_options {
    int bounces;      /* most bounces; 0: none */
    struct vec3 sky;  /* light of the sky that `direct` lacks; 0 0 0: it is all there */
    int rays;         /* of a gather point: a power of two, at most 1024; 0: 64 */
    double spacing;   /* units between the points of the widest lattice; 0: 80 */
    double tolerance; /* share by which the middle of a cell may miss the mean of its corners; 0:
                         0.12 */
};

/* Fills `indirect` of every lit face (in map->light) from their direct light. Counts go to
 * env->progress. */
void bounce_light(const struct env *env, const struct scene *scene, struct luxel_map *map,
                  const struct bounce_options *options);

#endif
