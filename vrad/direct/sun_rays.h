/* Supersampling of a sun: all rays of a luxel have the same weight, so that they are only
 * counted. */
#ifndef VRAD_DIRECT_SUN_RAYS_H
#define VRAD_DIRECT_SUN_RAYS_H

#include "vrad/direct/light_contribution.h"

/* The sun's disk as seen from a luxel. */
struct sun_disk {
    struct vec3 towards, x, y;
    double spread;
    uint32_t scramble[3];
};

struct sun_disk sun_disk_of(const struct receiver *to, const struct light *sun, int luxel);
/* The direction of the ray from fine sample `index`. */
struct vec3 sun_disk_direction(const struct sun_disk *disk, uint32_t index);

/* The unoccluded contribution of the sun to a luxel, one weight per slot. False: nothing. */
bool sun_weights(const struct receiver *to, const struct light *sun, int luxel,
                 float weight[LUXEL_SLOTS]);

/* Returns true if rays to the light can be counted: it is a sun, there are no alpha shadows, and no
 * hits are cached. */
bool sun_rays_can_count(const struct receiver *to, const struct light_contribution *contribution);

/* Measures the luxel's contribution of a sun with the first `first` of its fine samples; with all
 * of them where these differ. */
void sun_rays_measure(struct receiver *to, struct light_contribution *contribution,
                      const struct fine_samples *fine, int luxel, int first);

#endif
