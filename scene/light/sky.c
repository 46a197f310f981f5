#include "scene/light/sky.h"

#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"

#define WHITE 255.0

/* Scales sky light so that a sky that lights a floor at half of white is as bright as day. */
#define BRIGHTNESS 5.0
#define BRIGHTEST  0.9

#define SUN_SIZE 0.9995 /* cosine of its radius: larger than real, to be visible */
#define SUN_GLOW 64     /* exponent of the cosine */

static double largest(const float colour[3])
{
    return portable_fmax((double)colour[0], portable_fmax((double)colour[1], (double)colour[2]));
}

static void colour_sky(struct sky *sky, const float light[3])
{
    double max = largest(light);
    double bright = WHITE * BRIGHTEST * (1 - portable_exp(-BRIGHTNESS * max));
    for (int k = 0; k < 3; k++) {
        double hue = (double)light[k] / max;
        sky->zenith[k] = bright * hue * 0.6;
        sky->horizon[k] = bright * (0.5 + 0.5 * hue);
    }
}

static void colour_sun(struct sky *sky, const struct bsp_worldlight *light)
{
    double max = largest(light->intensity);
    sky->to_sun = vec3_neg(vec3_normalize(vec3_from_floats(light->normal)));
    sky->has_sun = max > 0;
    for (int k = 0; k < 3 && max > 0; k++)
        sky->sun[k] = WHITE * (double)light->intensity[k] / max;
}

struct sky sky_of(const struct bsp_light_set *light)
{
    static const float blue[3] = {0.3f, 0.45f, 0.7f};
    struct sky sky = {0};
    colour_sky(&sky, blue);
    for (size_t i = 0; i < arrlenu(light->worldlights); i++) {
        const struct bsp_worldlight *from = &light->worldlights[i];
        if (from->type == WORLDLIGHT_SKY_AMBIENT && largest(from->intensity) > 0)
            colour_sky(&sky, from->intensity);
        else if (from->type == WORLDLIGHT_SKY)
            colour_sun(&sky, from);
    }
    return sky;
}

void sky_at(const struct sky *sky, struct vec3 direction, float out[3])
{
    double up = direction.z > 0 ? sqrt(direction.z) : 0;
    double glow = 0;
    if (sky->has_sun) {
        double near = vec3_dot(direction, sky->to_sun);
        glow = near >= SUN_SIZE ? 1 : near > 0 ? 0.5 * portable_pow(near, SUN_GLOW) : 0;
    }
    for (int k = 0; k < 3; k++) {
        double colour = sky->horizon[k] + up * (sky->zenith[k] - sky->horizon[k]);
        out[k] = (float)(colour + glow * portable_fmax(0, sky->sun[k] - colour));
    }
}
