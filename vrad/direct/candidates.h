/* The lights that may reach a face. */
#ifndef VRAD_DIRECT_CANDIDATES_H
#define VRAD_DIRECT_CANDIDATES_H

#include "vrad/direct/receiver.h"
#include "vrad/lights/light_radius.h"

/* The lights of a set, borrowed, and how far each of them counts. */
struct reaching_lights {
    const struct light_set *set;
    struct light_radii radii;
    double min; /* light of 255 below which a light is not worth looking at */
};

void reaching_lights_make(const struct light_set *set, const struct direct_options *options,
                          struct reaching_lights *out);
void reaching_lights_free(struct reaching_lights *lights);

/* light_reaches for one of the clusters; true without any. */
bool light_reaches_any(const struct light_set *lights, int light, const int *clusters);

struct candidate {
    int light;
    bool far;  /* the light at the middle of a luxel can stand for all of it */
    bool near; /* luxels may be so near to a light with a shape that they see parts of it */
    double strength;
};

/* An stb_ds array, which the caller frees: the strongest first. Of the receiver only its face,
 * options and arena are used. */
struct candidate *candidates_find(const struct receiver *to, const struct reaching_lights *from);

/* The distance beyond which a face receives too little of a local light, if that counts with the
 * cosine at the face, which is the light's height over it by the distance. */
double candidate_reach(const struct receiver *to, const struct reaching_lights *from, int number);

#endif
