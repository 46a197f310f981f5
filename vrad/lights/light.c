#include "vrad/lights/light.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"
#include "vrad/lights/light_set.h"
#include "vrad/lights/patch_shape.h"

/* In half diagonals of the shape: below the first limit a light is an area light, above the second
 * a point, and between them both are blended. */
#define ALL_SHAPE 1.5
#define ALL_POINT 2.5

/* Height over the plane of the light, at or below which a point receives nothing. */
#define IN_PLANE (1.0 / 32)

/* Edges seen under a smaller sine than this pass through the point. */
#define MIN_SINE 1e-9

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
        out->e[i] = 255 * portable_pow(c[i] / 255, 2.2) * scale;
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
        double adjusted = 2 + (straight - 2) * step / 20, adjusted_a, adjusted_b;
        parabola(d50, d0, adjusted, &adjusted_a, &adjusted_b);
        if (adjusted_b >= 0 && adjusted_b + 2 * adjusted_a * d0 >= 0) {
            a = adjusted_a, b = adjusted_b, y = adjusted;
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
    double d = portable_fmax(distance, portable_fmax(light->min_distance, 1)), fade = 1;
    if (light->type == WORLDLIGHT_SURFACE)
        return 1 / (d * d + light->softening);
    if (light->ramp > 0)
        return portable_fmax(1 - light->ramp * d, 0);
    if (light->fade_end > 0) {
        if (d >= light->fade_end)
            return 0;
        double t = 1 - (d - light->fade_start) / (light->fade_end - light->fade_start);
        if (t < 1)
            fade = t * t * t * (t * (t * 6 - 15) + 10);
    }
    if (light->cap_distance > 0)
        d = portable_fmin(d, light->cap_distance);
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
    return cosine * (plain ? t : portable_pow(t, light->exponent));
}

/* The light of a beam is full inside of its edge, and falls off evenly across that. */
static double beam(const struct light *light, double cosine, double distance)
{
    double across = distance * sqrt(portable_fmax(1 - cosine * cosine, 0));
    double inside = light->beam * distance * cosine - across;
    return portable_fmin(portable_fmax(inside / light->beam_edge, 0), 1);
}

struct vec3 light_source(const struct light *light)
{
    bool lifted = light->type == WORLDLIGHT_SURFACE;
    return lifted ? vec3_mad(light->origin, light->normal, SURFACE_LIFT) : light->origin;
}

/* ---- area lights ---- */

static double reach_of(const struct light *light)
{
    return portable_fmax(vec3_length(vec3_add(light->side[0], light->side[1])),
                         vec3_length(vec3_sub(light->side[0], light->side[1])));
}

double area_light_near(const struct light *light)
{
    return ALL_POINT * reach_of(light);
}

bool area_light_is_near(const struct light *light, double distance)
{
    /* The longest half diagonal is at most the sum of the sides; most lights are far and end
     * here. */
    double max =
        ALL_POINT * (fabs(light->side[0].x) + fabs(light->side[0].y) + fabs(light->side[0].z) +
                     fabs(light->side[1].x) + fabs(light->side[1].y) + fabs(light->side[1].z));
    return distance < max && distance < area_light_near(light);
}

/* Half the sum over the edges of the angle that each subtends, along the normal of the plane
 * through it and the point. Its length is PI times the form factor. */
static struct vec3 irradiance(const struct light *light, struct vec3 point)
{
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    struct vec3 way[4], sum = vec3(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        struct vec3 at = vec3_mad(light->origin, light->side[0], corner[i][0]);
        way[i] = vec3_normalize(vec3_sub(vec3_mad(at, light->side[1], corner[i][1]), point));
    }
    for (int i = 0; i < 4; i++) {
        struct vec3 cross = vec3_cross(way[i], way[(i + 1) % 4]);
        double sine = vec3_length(cross), cosine = vec3_dot(way[i], way[(i + 1) % 4]);
        if (sine > MIN_SINE)
            sum = vec3_mad(sum, cross, portable_atan2(sine, cosine) / (2 * sine));
    }
    return vec3_dot(sum, light->normal) > 0 ? vec3_neg(sum) : sum;
}

/* light_at for a near area light: the vector irradiance of the parallelogram (J. H. Lambert's sum
 * over the edges), blended into that of the point at the end of the near range. The direction meets
 * the parallelogram at `distance`. */
static double area_light_at(const struct light *light, struct vec3 point, struct vec3 *direction,
                            double *distance)
{
    struct vec3 way = vec3_sub(light->origin, point);
    double away = vec3_length(way), height = -vec3_dot(way, light->normal);
    *distance = away;
    *direction = vec3_normalize(way);
    if (height <= IN_PLANE)
        return 0;
    double reach = reach_of(light),
           area = 4 * vec3_length(vec3_cross(light->side[0], light->side[1]));
    double t =
        portable_fmin(portable_fmax((ALL_POINT - away / reach) / (ALL_POINT - ALL_SHAPE), 0), 1);
    double shape = t * t * (3 - 2 * t);
    double plain = height / away * light_falloff(light, away);
    struct vec3 sum = vec3_scale(irradiance(light, point), light->near_share * shape / area);
    sum = vec3_mad(sum, *direction, (1 - shape) * plain);
    double share = vec3_length(sum);
    if (!(share > 0))
        return 0;
    *direction = vec3_scale(sum, 1 / share);
    *distance = height / portable_fmax(-vec3_dot(*direction, light->normal), 1e-6);
    return share;
}

/* ---- all kinds ---- */

double light_at(const struct light *light, struct vec3 point, struct vec3 *direction,
                double *distance)
{
    if (light->shape)
        return patch_light_at(light, point, direction, distance);
    struct vec3 way = vec3_sub(light_source(light), point);
    double length = vec3_length(way);
    *distance = length;
    *direction = vec3(0, 0, 0);
    if (length <= 0)
        return 0;
    if (area_light_is_near(light, length))
        return area_light_at(light, point, direction, distance);
    *direction = vec3_scale(way, 1 / length);
    double share = 1;
    if (light->type != WORLDLIGHT_POINT) {
        double cosine = -vec3_dot(*direction, light->normal);
        if (cosine <= 0)
            return 0;
        if (light->type == WORLDLIGHT_SURFACE)
            share = cosine;
        else
            share = light->beam > 0 ? beam(light, cosine, length) : cone(light, cosine);
    }
    return share > 0 ? share * light_falloff(light, length) : 0;
}

bool light_ends_before(const struct light_set *set, const struct light *light, double distance)
{
    double min = set->end.envelope;
    return min > 0 && light_whole(light, light_grey(light)) * light_falloff(light, distance) <= min;
}

double light_end_received(const struct light_set *set, const struct light *light)
{
    return light->type == WORLDLIGHT_SURFACE ? set->end.received : set->end.of_points;
}

bool light_has_ended(const struct light_set *set, const struct light *light, double distance,
                     double share)
{
    double received = set->end.received;
    return light_ends_before(set, light, distance) ||
           (received > 0 && light_whole(light, light_grey(light)) * share <= received);
}

bool light_reaches(const struct light_set *set, int light, int cluster)
{
    if (!set->row_bytes || cluster < 0 || (size_t)cluster / 8 >= set->row_bytes)
        return true;
    const unsigned char *row = set->rows + (size_t)light * set->row_bytes;
    return row[cluster >> 3] >> (cluster & 7) & 1;
}

static void append_numbers(const double *numbers, size_t count, struct bytes *out)
{
    bytes_append(out, numbers, count * sizeof *numbers);
}

_Static_assert(sizeof(struct light) == 336, "light_append has all members of struct light");

void light_append(const struct light *light, struct bytes *out)
{
    const double numbers[] = {
        light->near_share, light->stopdot,  light->stopdot2, light->exponent,  light->beam,
        light->beam_edge,  light->constant, light->linear,   light->quadratic, light->cap_distance,
        light->fade_start, light->fade_end, light->radius,   light->spread,    light->min_distance,
        light->ramp,       light->facing,   light->parts,    light->softening,
    };
    const struct vec3 vectors[] = {light->side[0], light->side[1], light->origin, light->normal,
                                   light->intensity};
    bytes_i32(out, (int32_t)light->type);
    bytes_i32(out, light->style);
    bytes_i32(out, light->cluster);
    bytes_i32(out, light->flags);
    bytes_i32(out, light->face);
    bytes_i32(out, light->sky);
    bytes_u8(out, light->half_lambert);
    append_numbers(numbers, sizeof numbers / sizeof *numbers, out);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        append_numbers(vectors[i].e, 3, out);
    for (int i = 0; light->shape && i < light->shape->count; i++)
        append_numbers(light->shape->corners[i].e, 3, out);
}

void lights_free(struct light_set *set)
{
    arrfree(set->lights);
    arrfree(set->rows);
    arena_free(&set->shapes);
    *set = (struct light_set){.sun = -1, .sky = -1};
}

/* --- light batch --- */

/* The loops of this file are simple enough for the compiler to vectorise. */

static inline float at_least(float x, float min)
{
    return x > min ? x : min;
}

static inline float at_most(float x, float max)
{
    return x < max ? x : max;
}

static void direction_loop(int count, const float source[3], const float *px, const float *py,
                           const float *pz, float *restrict dx, float *restrict dy,
                           float *restrict dz, float *restrict distance)
{
    float x = source[0], y = source[1], z = source[2];
    for (int i = 0; i < count; i++) {
        float a = x - px[i], b = y - py[i], c = z - pz[i];
        float length = sqrtf(a * a + b * b + c * c);
        float scale = 1 / at_least(length, 1e-20f);
        dx[i] = a * scale;
        dy[i] = b * scale;
        dz[i] = c * scale;
        distance[i] = length;
    }
}

static void directions_to_light(const struct light *light, const struct light_rows *rows)
{
    struct vec3 source = light->shape ? light->origin : light_source(light);
    const float at[3] = {(float)source.x, (float)source.y, (float)source.z};
    direction_loop(rows->count, at, rows->point[0], rows->point[1], rows->point[2],
                   rows->direction[0], rows->direction[1], rows->direction[2], rows->distance);
}

/* Returns true if the attenuation is a polynomial that is positive everywhere. */
static bool falloff_is_plain(const struct light *light)
{
    return !(light->ramp > 0) && !(light->fade_end > 0) && !(light->cap_distance > 0) &&
           light->constant >= 0 && light->linear >= 0 && light->quadratic >= 0 &&
           light->constant + light->linear + light->quadratic > 0;
}

/* Attenuation by distance. */
static void attenuate_by_distance(const struct light *light, const struct light_rows *rows)
{
    const float *distance = rows->distance;
    float *restrict attenuation = rows->attenuation;
    float constant = (float)light->softening, linear = 0, quadratic = 1;
    float min = (float)portable_fmax(light->min_distance, 1);
    int count = rows->count;
    if (light->type != WORLDLIGHT_SURFACE) {
        if (!falloff_is_plain(light)) {
            for (int i = 0; i < count; i++)
                attenuation[i] = (float)light_falloff(light, (double)distance[i]);
            return;
        }
        constant = (float)light->constant;
        linear = (float)light->linear;
        quadratic = (float)light->quadratic;
    }
    for (int i = 0; i < count; i++) {
        float d = at_least(distance[i], min);
        attenuation[i] = 1 / (constant + linear * d + quadratic * d * d);
    }
}

/* Multiplies by the cosine at the light. */
static void attenuate_by_cosine(const struct light *light, const struct light_rows *rows)
{
    float x = (float)light->normal.x, y = (float)light->normal.y, z = (float)light->normal.z;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    float *restrict attenuation = rows->attenuation;
    for (int i = 0, count = rows->count; i < count; i++)
        attenuation[i] *= at_least(-(dx[i] * x + dy[i] * y + dz[i] * z), 0);
}

/* Multiplies by the falloff of a spot's cone. */
static void attenuate_by_cone(const struct light *light, const struct light_rows *rows)
{
    float x = (float)light->normal.x, y = (float)light->normal.y, z = (float)light->normal.z;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    float outer = (float)light->stopdot2;
    float scale = (float)(1 / portable_fmax(light->stopdot - light->stopdot2, 1e-6));
    float exponent = light->exponent != 0 ? (float)light->exponent : 1;
    float *restrict attenuation = rows->attenuation;
    int count = rows->count;
    if (exponent == 1) {
        for (int i = 0; i < count; i++) {
            float cosine = -(dx[i] * x + dy[i] * y + dz[i] * z);
            attenuation[i] *= at_most(at_least((cosine - outer) * scale, 0), 1);
        }
        return;
    }
    for (int i = 0; i < count; i++) {
        float cosine = -(dx[i] * x + dy[i] * y + dz[i] * z);
        attenuation[i] *= (float)portable_pow(
            (double)at_most(at_least((cosine - outer) * scale, 0), 1), (double)exponent);
    }
}

/* Multiplies by the falloff across the edge of a beam. */
static void attenuate_by_beam(const struct light *light, const struct light_rows *rows)
{
    float x = (float)light->normal.x, y = (float)light->normal.y, z = (float)light->normal.z;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    const float *distance = rows->distance;
    float ratio = (float)light->beam, scale = 1 / (float)light->beam_edge;
    float *restrict attenuation = rows->attenuation;
    for (int i = 0, count = rows->count; i < count; i++) {
        float cosine = -(dx[i] * x + dy[i] * y + dz[i] * z);
        float across = distance[i] * sqrtf(at_least(1 - cosine * cosine, 0));
        float inside = ratio * distance[i] * cosine - across;
        float share = at_most(at_least(inside * scale, 0), 1);
        attenuation[i] *= cosine > 0 ? share : 0;
    }
}

/* Evaluates near points again as an area light. */
static void attenuate_by_shape(const struct light *light, const struct light_rows *rows)
{
    float near = (float)area_light_near(light);
    for (int i = 0; i < rows->count; i++) {
        double distance = (double)rows->distance[i];
        if (!(rows->distance[i] < near))
            continue;
        struct vec3 way, point = vec3((double)rows->point[0][i], (double)rows->point[1][i],
                                      (double)rows->point[2][i]);
        rows->attenuation[i] = (float)area_light_at(light, point, &way, &distance);
        rows->distance[i] = (float)distance;
        for (int k = 0; k < 3; k++)
            rows->direction[k][i] = (float)way.e[k];
    }
}

void light_at_batch(const struct light *light, const struct light_rows *rows)
{
    directions_to_light(light, rows);
    attenuate_by_distance(light, rows);
    bool beam = light->type == WORLDLIGHT_SPOT && light->beam > 0;
    if (light->type != WORLDLIGHT_POINT && !beam)
        attenuate_by_cosine(light, rows);
    if (beam)
        attenuate_by_beam(light, rows);
    else if (light->type == WORLDLIGHT_SPOT)
        attenuate_by_cone(light, rows);
    if (light->shape)
        patch_light_batch(light, rows);
    else if (area_light_near(light) > 0)
        attenuate_by_shape(light, rows);
}
