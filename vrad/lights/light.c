#include "vrad/lights/light.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vrad/lights/light_near.h"

/* Surface lights shine from this far in front of their face, so that the face does not hide them.
 */
#define SURFACE_LIFT (1.0 / 32)

bool light_colour(const char *text, bool hdr, struct vec3 *out)
{
    double v[8];
    size_t count = str_to_doubles(text, v, 8);
    if (count != 1 && count != 3 && count != 4 && count != 8)
        return false;
    const double *c = hdr && count == 8 ? v + 4 : v;
    if (count == 1)
        v[1] = v[2] = v[0];
    for (int i = 0; i < (count >= 4 ? 4 : 3); i++)
        if (c[i] < 0)
            return false;
    double scale = count >= 4 ? c[3] / 255 : 1;
    for (int i = 0; i < 3; i++)
        out->e[i] = 255 * pow(c[i] / 255, 2.2) * scale;
    return vec3_is_finite(*out);
}

/* The parabola 1 + b d + a d^2 through (d50, y) and (d0, 256). */
static void parabola(double d50, double d0, double y, double *a, double *b)
{
    *a = (255 / d0 - (y - 1) / d50) / (d0 - d50);
    *b = (y - 1) / d50 - *a * d50;
}

void light_fifty_percent(double d50, double d0, double *constant, double *linear, double *quadratic)
{
    double straight = 1 + 255 * d50 / d0, a = 0, b = 255 / d0, y = straight;
    for (int step = 0; step < 20 && d0 > d50; step++) {
        double bent = 2 + (straight - 2) * step / 20, bent_a, bent_b;
        parabola(d50, d0, bent, &bent_a, &bent_b);
        if (bent_b >= 0 && bent_b + 2 * bent_a * d0 >= 0) {
            a = bent_a, b = bent_b, y = bent;
            break;
        }
    }
    double scale = 2 / y;
    *constant = scale;
    *linear = b * scale;
    *quadratic = a * scale;
}

double light_falloff(const struct light *light, double distance)
{
    double d = fmax(distance, fmax(light->least_distance, 1)), fade = 1;
    if (light->type == WORLDLIGHT_SURFACE)
        return 1 / (d * d + light->softening);
    if (light->ramp > 0)
        return fmax(1 - light->ramp * d, 0);
    if (light->fade_end > 0) {
        if (d >= light->fade_end)
            return 0;
        double t = 1 - (d - light->fade_start) / (light->fade_end - light->fade_start);
        if (t < 1)
            fade = t * t * t * (t * (t * 6 - 15) + 10);
    }
    if (light->cap_distance > 0)
        d = fmin(d, light->cap_distance);
    double divisor = light->constant + light->linear * d + light->quadratic * d * d;
    return divisor > 0 ? fade / divisor : 0;
}

static double cone(const struct light *light, double cosine)
{
    if (cosine <= light->stopdot2)
        return 0;
    if (cosine >= light->stopdot)
        return cosine;
    double t = (cosine - light->stopdot2) / (light->stopdot - light->stopdot2);
    bool plain = light->exponent == 0 || light->exponent == 1;
    return cosine * (plain ? t : pow(t, light->exponent));
}

struct vec3 light_source(const struct light *light)
{
    bool lifted = light->type == WORLDLIGHT_SURFACE;
    return lifted ? vec3_mad(light->origin, light->normal, SURFACE_LIFT) : light->origin;
}

double light_at(const struct light *light, struct vec3 point, struct vec3 *direction,
                double *distance)
{
    struct vec3 way = vec3_sub(light_source(light), point);
    double length = vec3_length(way);
    *distance = length;
    *direction = vec3(0, 0, 0);
    if (length <= 0)
        return 0;
    if (light_is_near(light, length))
        return light_near(light, point, direction, distance);
    *direction = vec3_scale(way, 1 / length);
    double share = 1;
    if (light->type != WORLDLIGHT_POINT) {
        double cosine = -vec3_dot(*direction, light->normal);
        if (cosine <= 0)
            return 0;
        share = light->type == WORLDLIGHT_SPOT ? cone(light, cosine) : cosine;
    }
    return share > 0 ? share * light_falloff(light, length) : 0;
}

bool light_reaches(const struct light_set *set, int light, int cluster)
{
    if (!set->row_bytes || cluster < 0 || (size_t)cluster / 8 >= set->row_bytes)
        return true;
    const unsigned char *row = set->rows + (size_t)light * set->row_bytes;
    return row[cluster >> 3] >> (cluster & 7) & 1;
}

void lights_free(struct light_set *set)
{
    arrfree(set->lights);
    arrfree(set->rows);
    *set = (struct light_set){.sun = -1, .sky = -1};
}
