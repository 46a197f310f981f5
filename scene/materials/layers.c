#include "scene/materials/layers.h"

#include <string.h>

#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"

#define HALF_OPAQUE       0.5f
#define TURBULENCE_LENGTH 1024.0

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

/* A script may have numbers beyond all bounds. */
static double fraction_of(double number)
{
    return isfinite(number) ? number - floor(number) : 0;
}

/* The turn of a wave with a phase and a frequency, 0 .. 1. */
static double turn_of(const double numbers[CHANGE_NUMBERS], double seconds)
{
    return fraction_of(numbers[2] + seconds * numbers[3]);
}

static double wave_at(const struct stage_change *wave, double seconds)
{
    const double *numbers = wave->numbers;
    return numbers[0] + numbers[1] * wave_of(wave->name, turn_of(numbers, seconds));
}

/* A wave along the normals begins elsewhere at each vertex, by the sum of its coordinates. */
struct vec3 layers_move(const struct layer_list *list, double seconds, struct vec3 vertex,
                        struct vec3 normal)
{
    const double sum = vertex.x + vertex.y + vertex.z;
    struct vec3 moved = vertex;
    for (int i = 0; i < list->deform_count; i++) {
        const struct deform *deform = &list->deforms[i];
        struct stage_change wave = deform->wave;
        wave.numbers[2] += deform->spread * sum;
        const double length = wave_at(&wave, seconds);
        const struct vec3 way =
            deform->spread > 0 ? normal : vec3(deform->way[0], deform->way[1], deform->way[2]);
        if (isfinite(length))
            moved = vec3_mad(moved, way, length);
    }
    return moved;
}

/* 0 .. 1; without a wave 1. */
static float share_of(const struct stage_change *wave, double seconds)
{
    if (!wave->name)
        return 1;
    return (float)portable_fmin(portable_fmax(wave_at(wave, seconds), 0), 1);
}

/* Of changes about the middle of the image. */
static void keep_middle(float by[2][3])
{
    for (int i = 0; i < 2; i++)
        by[i][2] = 0.5f - 0.5f * (by[i][0] + by[i][1]);
}

static void rotate(double degrees, float by[2][3])
{
    double angle = 2 * PI * fraction_of(degrees / 360);
    by[0][0] = by[1][1] = (float)portable_cos(angle);
    by[0][1] = (float)portable_sin(angle);
    by[1][0] = -by[0][1];
    keep_middle(by);
}

/* Computes how a change moves coordinates. */
static void change_at(const struct stage_change *change, double seconds, float by[2][3])
{
    const double *n = change->numbers;
    if (str_equal_nocase(change->name, "scroll")) {
        for (int i = 0; i < 2; i++)
            by[i][2] = (float)fraction_of(n[i] * seconds);
    } else if (str_equal_nocase(change->name, "rotate")) {
        rotate(n[0] * seconds, by);
    } else if (str_equal_nocase(change->name, "scale")) {
        by[0][0] = (float)n[0];
        by[1][1] = (float)n[1];
    } else if (str_equal_nocase(change->name, "transform")) {
        const float given[2][3] = {{(float)n[0], (float)n[2], (float)n[4]},
                                   {(float)n[1], (float)n[3], (float)n[5]}};
        memcpy(by, given, sizeof given);
    } else if (str_equal_nocase(change->name, "stretch")) {
        const struct stage_change wave = {"sin", {n[0], n[1], n[2], n[3]}};
        double value = wave_at(&wave, seconds);
        by[0][0] = by[1][1] = value != 0 ? (float)(1 / value) : 1;
        keep_middle(by);
    }
}

/* Applies a change to what the earlier ones make of the coordinates, turbulence among them. */
static void add_change(const struct stage_change *change, double seconds, struct layer *layer)
{
    float(*of)[3] = layer->change, by[2][3] = {{1, 0, 0}, {0, 1, 0}}, out[2][3], waves[2][2];
    change_at(change, seconds, by);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            waves[i][k] = by[i][0] * layer->turbulence[0][k] + by[i][1] * layer->turbulence[1][k];
    memcpy(layer->turbulence, waves, sizeof waves);
    if (str_equal_nocase(change->name, "turb") && !layer->turbulent) {
        layer->turbulent = true;
        layer->turn = (float)turn_of(change->numbers, seconds);
        layer->turbulence[0][0] = layer->turbulence[1][1] = (float)change->numbers[1];
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

struct layer layer_of(const struct shader_stage *stage, const struct texture *texture,
                      double seconds)
{
    struct layer layer = {.texture = texture,
                          .change = {{1, 0, 0}, {0, 1, 0}},
                          .opacity = share_of(&stage->opacity, seconds),
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
        layer.colour[k] *= share_of(&stage->brightness, seconds);
    }
    for (int i = 0; i < stage->change_count; i++)
        add_change(&stage->changes[i], seconds, &layer);
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

/* Two sines, 1024 units long. The engine has them at vertices. */
static void waves_at(const struct layer *layer, const struct layer_point *point, double out[2])
{
    out[0] = out[1] = 0;
    for (int i = 0; i < 3; i++) {
        const float *corner = point->corners + 3 * (size_t)i;
        const double along[2] = {(double)corner[0] + (double)corner[2], (double)corner[1]};
        for (int k = 0; k < 2; k++)
            out[k] += point->weights[i] *
                      portable_sin(2 * PI * ((double)layer->turn + along[k] / TURBULENCE_LENGTH));
    }
}

static void sample(const struct layer *layer, const struct layer_point *point, float rgba[4])
{
    const double *from = layer->reflects ? point->reflection : point->place;
    const float(*change)[3] = layer->change;
    double place[2], waves[2] = {0, 0};
    if (layer->turbulent && point->corners)
        waves_at(layer, point, waves);
    for (int i = 0; i < 2; i++)
        place[i] = kept_inside(layer, (double)change[i][0] * from[0] +
                                          (double)change[i][1] * from[1] + (double)change[i][2] +
                                          (double)layer->turbulence[i][0] * waves[0] +
                                          (double)layer->turbulence[i][1] * waves[1]);
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

/* Fog does not hide what is added to what is behind, which has its own: that fades. What is
 * multiplied does not. */
static void fade(const struct layer *layer, float share, float rgba[4])
{
    const struct blend blend = layer->blend;
    bool adds = (blend.source == BLEND_ONE && blend.target == BLEND_ONE) ||
                (blend.source == BLEND_ZERO && blend.target == BLEND_ONE_MINUS_SRC_COLOR);
    bool covers = blend.target == BLEND_ONE_MINUS_SRC_ALPHA;
    for (int k = 0; k < 3 && (adds || (covers && blend.source == BLEND_ONE)); k++)
        rgba[k] *= 1 - share;
    if (covers)
        rgba[3] *= 1 - share;
}

void layer_fog_over(const struct layer_fog *fog, struct blended *under)
{
    static const struct blend blend = {BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA};
    const float rgba[4] = {fog->colour[0], fog->colour[1], fog->colour[2], fog->share};
    blend_over(under, blend, rgba);
}

void layers_over(const struct layer_list *list, const struct layer_point *point,
                 struct blended *under)
{
    static const struct blend none = {BLEND_ONE, BLEND_ZERO};
    float light[3];
    bool any = false, covers = !list->count || !list->layers[0].has_blend;
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
        if (!covers)
            fade(layer, point->fog.share, rgba);
        blend_over(under, layer->has_blend ? layer->blend : none, rgba);
        any = true;
    }
    if (covers && any)
        layer_fog_over(&point->fog, under);
}
