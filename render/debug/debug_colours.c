/* Colours and legends. */
#include "common/core/portable_math.h"
#include "render/debug/debug_internal.h"

#define GOLDEN 0.6180339887498949

static double triangle_wave(double hue)
{
    hue -= floor(hue);
    return portable_fmin(portable_fmax(fabs(6 * hue - 3) - 1, 0), 1);
}

struct vec3 debug_distinct(int number)
{
    double hue = number * GOLDEN, value = 255 * (0.7 + 0.3 * (number % 3) / 2);
    const double third = 1.0 / 3;
    struct vec3 rgb =
        vec3(triangle_wave(hue), triangle_wave(hue - third), triangle_wave(hue + third));
    for (int k = 0; k < 3; k++)
        rgb.e[k] = value * (0.25 + 0.75 * rgb.e[k]);
    return rgb;
}

struct vec3 debug_heat(double part)
{
    static const struct vec3 steps[] = {{{{22, 28, 90}}},
                                        {{{30, 150, 200}}},
                                        {{{60, 190, 80}}},
                                        {{{250, 220, 60}}},
                                        {{{225, 45, 35}}}};
    const int last = sizeof steps / sizeof *steps - 1;
    double at = portable_fmin(portable_fmax(part, 0), 1) * last;
    int whole = at < last ? (int)at : last - 1;
    return vec3_lerp(steps[whole], steps[whole + 1], at - whole);
}

struct vec3 debug_shaded(struct vec3 colour, struct vec3 normal)
{
    double up = normal.z > 0 ? normal.z : 0.2 * normal.z;
    return vec3_scale(colour, 0.7 + 0.12 * fabs(normal.x) + 0.3 * up);
}

struct vec3 debug_normals(const struct debug_job *job, const struct debug_sample *at,
                          const struct debug_sample *right, const struct debug_sample *below)
{
    (void)job;
    (void)right;
    (void)below;
    struct vec3 half = vec3(127.5, 127.5, 127.5);
    return vec3_mad(half, at->hit.normal, 127.5);
}

/* Ends with a text of NULL. */
static const struct debug_key legends[][DEBUG_KEYS] = {
    [DEBUG_PORTALS] = {{{{{80, 225, 255}}}, "portals between clusters"}},
    [DEBUG_CLUSTERS] = {{{{{200, 200, 200}}}, "a colour for each cluster"}},
    [DEBUG_PVS] = {{{{{255, 220, 90}}}, "the cluster of the place"},
                   {{{{150, 205, 155}}}, "visible from it"},
                   {{{{44, 30, 38}}}, "not visible"}},
    [DEBUG_LEAVES] = {{{{{200, 200, 200}}}, "a colour for each leaf"}},
    [DEBUG_DENSITY] = {{{{{225, 45, 35}}}, "luxels of 2 units"},
                       {{{{240, 140, 40}}}, "4"},
                       {{{{250, 220, 60}}}, "8"},
                       {{{{60, 190, 80}}}, "16"},
                       {{{{30, 150, 200}}}, "32"},
                       {{{{50, 70, 190}}}, "64"},
                       {{{{110, 60, 150}}}, "128 and more"}},
    [DEBUG_SEAMS] = {{{{{50, 160, 80}}}, "lightmaps that meet"},
                     {{{{255, 40, 20}}}, "with different light"}},
    [DEBUG_OVERDRAW] = {{{{{22, 28, 90}}}, "nothing"},
                        {{{{30, 150, 200}}}, "2 surfaces"},
                        {{{{60, 190, 80}}}, "4"},
                        {{{{250, 220, 60}}}, "6"},
                        {{{{225, 45, 35}}}, "8 and more"}},
    [DEBUG_NORMALS] = {{{{{255, 128, 128}}}, "east"},
                       {{{{128, 255, 128}}}, "north"},
                       {{{{128, 128, 255}}}, "up"}},
    [DEBUG_LIGHTS] = {{{{{22, 28, 90}}}, "no light"},
                      {{{{30, 150, 200}}}, "2 lights"},
                      {{{{60, 190, 80}}}, "4"},
                      {{{{250, 220, 60}}}, "6"},
                      {{{{225, 45, 35}}}, "8 and more"}},
};

const struct debug_key *debug_legend(enum debug_mode mode)
{
    return legends[mode];
}
