/* The share of light that materials of Source reflect, as BSPs, textures and catalogues say it. */
#ifndef VRAD_SCENE_REFLECTIVITY_H
#define VRAD_SCENE_REFLECTIVITY_H

/* Below 1, so that the light of all bounces has a sum: with shares of at most r what is left after
 * n of them is r^n / (1 - r) of the first at most. What is no number counts as 0. */
#define REFLECTIVITY_MAX 0.99f

static inline float reflectivity_within(float share)
{
    return share > REFLECTIVITY_MAX ? REFLECTIVITY_MAX : share > 0 ? share : 0;
}

#endif
