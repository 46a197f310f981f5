#include "scene/materials/layers.h"

#include <string.h>

#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"

#define HALF_OPAQUE 0.5f

/* Waves go from -1 to 1, and sawtooths from 0; `turn` is from 0 to 1. */
static double wave_of(const char *name, double turn)
{
    if (str_equal_nocase(name, "square"))
        return turn < 0.5 ? 1 : -1;
    if (str_equal_nocase(name, "triangle"))
        return turn < 0.25 ? 4 * turn : turn < 0.75 ? 2 - 4 * turn : 4 * turn - 4;
    if (str_equal_nocase(name, "sawtooth"))
        return turn;
    if (str_equal_nocase(name, "inversesawtooth"))
        return 1 - turn;
    return portable_sin(2 * PI * turn);
}

static double wave_at_0(const char *name, const double numbers[CHANGE_NUMBERS])
{
    double phase = numbers[2];
    return numbers[0] + numbers[1] * wave_of(name, phase - floor(phase));
}

/* 0 .. 1; without a wave 1. */
static float share_of(const struct stage_change *wave)
{
    if (!wave->name)
        return 1;
    return (float)portable_fmin(portable_fmax(wave_at_0(wave->name, wave->numbers), 0), 1);
}

/* Applies a change to what the earlier ones make of the coordinates. Those that move with time
 * begin where they are. */
static void add_change(const struct stage_change *change, float of[2][3])
{
    const double *n = change->numbers;
    float by[2][3] = {{1, 0, 0}, {0, 1, 0}}, out[2][3];
    if (str_equal_nocase(change->name, "scale")) {
        by[0][0] = (float)n[0];
        by[1][1] = (float)n[1];
    } else if (str_equal_nocase(change->name, "transform")) {
        const float given[2][3] = {{(float)n[0], (float)n[2], (float)n[4]},
                                   {(float)n[1], (float)n[3], (float)n[5]}};
        memcpy(by, given, sizeof by);
    } else if (str_equal_nocase(change->name, "stretch")) {
        double wave = wave_at_0("sin", n);
        float size = wave != 0 ? (float)(1 / wave) : 1;
        by[0][0] = by[1][1] = size;
        by[0][2] = by[1][2] = 0.5f - 0.5f * size;
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = by[i][0] * of[0][k] + by[i][1] * of[1][k] + (k == 2 ? by[i][2] : 0);
    memcpy(of, out, sizeof out);
}

static enum layer_test test_of(const char *alpha)
{
    if (!alpha)
        return LAYER_DRAWN;
    return str_equal_nocase(alpha, "gt0")     ? LAYER_ABOVE_0
           : str_equal_nocase(alpha, "lt128") ? LAYER_BELOW_HALF
           : str_equal_nocase(alpha, "ge128") ? LAYER_FROM_HALF
                                              : LAYER_DRAWN;
}

struct layer layer_of(const struct shader_stage *stage, const struct texture *texture)
{
    struct layer layer = {.texture = texture,
                          .change = {{1, 0, 0}, {0, 1, 0}},
                          .opacity = share_of(&stage->opacity),
                          .blend = stage->blend,
                          .test = test_of(stage->alpha),
                          .has_blend = stage->has_blend,
                          .lit = stage->lit,
                          .doubled = stage->doubled,
                          .vertex_light = stage->vertex_light,
                          .vertex_dark = stage->vertex_dark,
                          .clamped = stage->clamped,
                          .vertex_alpha = stage->vertex_alpha,
                          .reflects = stage->reflects};
    for (int k = 0; k < 3; k++) {
        double colour = stage->has_colour ? stage->colour[k] : 1;
        layer.colour[k] = (float)portable_fmin(portable_fmax(colour, 0), 1);
        layer.colour[k] *= share_of(&stage->brightness);
    }
    for (int i = 0; i < stage->change_count; i++)
        add_change(&stage->changes[i], layer.change);
    return layer;
}

static bool passes(enum layer_test test, float alpha)
{
    return test == LAYER_ABOVE_0      ? alpha > 0
           : test == LAYER_BELOW_HALF ? alpha < HALF_OPAQUE
           : test == LAYER_FROM_HALF  ? alpha >= HALF_OPAQUE
                                      : true;
}

/* A layer that is clamped shows the border of its image outside. */
static double kept_inside(const struct layer *layer, double place)
{
    return layer->clamped ? portable_fmin(portable_fmax(place, 0), 1 - 1e-6) : place;
}

static void sample(const struct layer *layer, const struct layer_point *point, float rgba[4])
{
    const double *from = layer->reflects ? point->reflection : point->place;
    const float(*change)[3] = layer->change;
    double place[2];
    for (int i = 0; i < 2; i++)
        place[i] = kept_inside(layer, (double)change[i][0] * from[0] +
                                          (double)change[i][1] * from[1] + (double)change[i][2]);
    double scale = sqrt(fabs((double)change[0][0] * (double)change[1][1] -
                             (double)change[0][1] * (double)change[1][0]));
    texture_at(layer->texture, place[0], place[1], point->footprint * scale, rgba);
}

/* The factor of a layer by the light, all on the screen. */
static float light_of(const struct layer *layer, float light)
{
    float factor = layer->doubled ? 2 : 1;
    if (layer->lit)
        factor *= light;
    if (layer->vertex_light)
        factor *= light;
    if (layer->vertex_dark)
        factor *= 1 - light;
    return factor;
}

void layers_over(const struct layer_list *list, const struct layer_point *point,
                 struct blended *under)
{
    static const struct blend none = {BLEND_ONE, BLEND_ZERO};
    float light[3];
    for (int k = 0; k < 3; k++)
        light[k] = screen_brightness(list->screen, point->light[k]);
    for (int i = 0; i < list->count; i++) {
        const struct layer *layer = &list->layers[i];
        float rgba[4];
        sample(layer, point, rgba);
        if (!passes(layer->test, rgba[3]))
            continue;
        for (int k = 0; k < 3; k++) {
            float colour = screen_brightness(list->screen, rgba[k]) * layer->colour[k];
            rgba[k] = portable_fminf(colour * light_of(layer, light[k]), 1);
        }
        rgba[3] *= layer->opacity * (layer->vertex_alpha ? point->opacity : 1);
        blend_over(under, layer->has_blend ? layer->blend : none, rgba);
    }
}
