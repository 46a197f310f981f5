/* The light along rays that are traced once: of what they have hit, bounce after bounce. */
#ifndef VRAD_LUXELS_SEEN_LIGHT_H
#define VRAD_LUXELS_SEEN_LIGHT_H

#include <stddef.h>
#include <stdint.h>

/* The light that leaves what a ray has hit, 3 numbers; `room` may hold them. */
typedef const float *seen_light_look(const void *context, size_t seen, float room[3]);

/* The mean of what rays have hit. */
static inline void seen_light_mean(seen_light_look *look, const void *context, const uint32_t *seen,
                                   size_t rays, float out[3])
{
    float sum[3] = {0, 0, 0}, room[3];
    for (size_t i = 0; i < rays; i++) {
        const float *light = look(context, seen[i], room);
        for (int k = 0; k < 3; k++)
            sum[k] += light[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] = sum[k] / (float)rays;
}

#endif
