/* The curve from light to bytes, as the options say. */
#ifndef VRAD_QUAKE3_PAGES_TONE_OPTIONS_H
#define VRAD_QUAKE3_PAGES_TONE_OPTIONS_H

#include <stdbool.h>

struct option_part;

/* In this order. */
struct tone_options {
    double gamma;
    double exposure; /* light that becomes 1 - 1 / e of white; 0: light is cut at white */
    double brightness, contrast, saturation, compensate;
    bool srgb_light; /* bytes are sRGB */
};

extern const struct tone_options tone_defaults;
extern const struct option_part tone_part; /* its place in struct vrad_options */

#endif
