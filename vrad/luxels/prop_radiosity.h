/* The light of static props that reflect: at the luxels of their charts (scene/prop_charts.h),
 * along rays that are traced once. The luxels follow those of the map in a radiosity: index
 * radiosity_black + 1 is the first. Style 0 only. */
#ifndef VRAD_LUXELS_PROP_RADIOSITY_H
#define VRAD_LUXELS_PROP_RADIOSITY_H

#include "vrad/luxels/seen_light.h"

struct prop_charts;

struct prop_radiosity {
    const struct prop_charts *charts; /* borrowed; one luxel each of charts->luxels */
    size_t count;
    int rays; /* per luxel */
    uint32_t
        *seen;  /* what they hit, in a radiosity; what lies within solids and the sky is black */
    float *sky; /* one per luxel: share of its rays that reach the sky */
    unsigned char *covered; /* the same: bits of the samples that lie within solids */
    float *direct;          /* 3 per luxel: irradiance of lights, suns and the sky */
    float *leaving;         /* 3 per luxel: what they reflect of all light so far */
    int bounces; /* of light before it reaches a prop that reflects it: maximum; 0: none */
    int done;    /* of these */
};

/* They reflect their direct light alone. */
void prop_radiosity_start(struct prop_radiosity *props);
/* One bounce: they reflect what reaches them now. Does nothing when all are done. */
void prop_radiosity_bounce(struct prop_radiosity *props, int threads, seen_light_look *look,
                           const void *context);
/* Frees it as well; accepts NULL. */
void prop_radiosity_free(struct prop_radiosity *props);

#endif
