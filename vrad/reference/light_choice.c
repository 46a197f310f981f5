#include "vrad/reference/light_choice.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"

/* The places in rows, for all lights. */
struct rows {
    float point[3][TRACE_PACKET], normal[3][TRACE_PACKET], surface[3][TRACE_PACKET];
    float direction[3][TRACE_PACKET], distance[TRACE_PACKET], attenuation[TRACE_PACKET];
    int clusters[TRACE_PACKET], cluster_count; /* those of the places, each once */
};

static void add_cluster(struct rows *rows, int cluster)
{
    for (int i = 0; i < rows->cluster_count; i++)
        if (rows->clusters[i] == cluster)
            return;
    rows->clusters[rows->cluster_count++] = cluster;
}

/* Lanes without a place repeat one that there is. */
static void load_rows(uint32_t lanes, const struct light_place places[TRACE_PACKET],
                      struct rows *rows)
{
    rows->cluster_count = 0;
    for (int i = 0; i < TRACE_PACKET; i++) {
        const struct light_place *place = &places[lanes >> i & 1 ? i : __builtin_ctz(lanes)];
        add_cluster(rows, place->cluster);
        for (int k = 0; k < 3; k++) {
            rows->point[k][i] = (float)place->point.e[k];
            rows->normal[k][i] = (float)place->normal.e[k];
            rows->surface[k][i] = (float)place->surface.e[k];
        }
    }
}

static bool may_reach(const struct scene *scene, const struct light_set *lights, int number,
                      const struct rows *rows)
{
    bool sun = lights->lights[number].type == WORLDLIGHT_SKY;
    for (int i = 0; i < rows->cluster_count; i++)
        if (sun ? scene_sees_sky(scene, rows->clusters[i])
                : light_reaches(lights, number, rows->clusters[i]))
            return true;
    return false;
}

static void attenuate(const struct light *light, struct rows *rows)
{
    if (light->type != WORLDLIGHT_SKY) {
        const struct light_rows evaluated = {
            .count = TRACE_PACKET,
            .point = {rows->point[0], rows->point[1], rows->point[2]},
            .direction = {rows->direction[0], rows->direction[1], rows->direction[2]},
            .distance = rows->distance,
            .attenuation = rows->attenuation};
        light_at_batch(light, &evaluated);
        return;
    }
    for (int i = 0; i < TRACE_PACKET; i++) {
        rows->attenuation[i] = 1;
        for (int k = 0; k < 3; k++)
            rows->direction[k][i] = -(float)light->normal.e[k];
    }
}

static void weigh(const struct light *light, struct rows *rows, float weight[TRACE_PACKET])
{
    float level = (float)light_grey(light);
    attenuate(light, rows);
    for (int i = 0; i < TRACE_PACKET; i++) {
        float over = 0, cosine = 0;
        for (int k = 0; k < 3; k++) {
            over += rows->direction[k][i] * rows->surface[k][i];
            cosine += rows->direction[k][i] * rows->normal[k][i];
        }
        weight[i] = over > LIGHT_GRAZING && cosine > 0 ? rows->attenuation[i] * cosine * level : 0;
    }
}

/* The light without occluders on a surface that faces it, as a share of the intensity, and the ray
 * to it. */
static double unoccluded(const struct light *light, const struct light_place *at,
                         struct light_choice *out)
{
    struct vec3 direction = vec3_neg(light->normal);
    double share = 1, distance;
    if (light->type == WORLDLIGHT_SKY) {
        out->way = direction;
    } else {
        share = light_at(light, at->point, &direction, &distance);
        struct vec3 end = vec3_mad(at->point, direction, portable_fmax(distance - LIGHT_GAP, 0));
        out->way = vec3_sub(end, at->start);
    }
    out->direction = direction;
    return share;
}

void lights_take(const struct light *light, const struct light_place *place,
                 struct light_choice *out)
{
    *out = (struct light_choice){.light = light};
    out->attenuation = unoccluded(light, place, out);
    out->scale = out->attenuation * portable_fmax(vec3_dot(out->direction, place->normal), 0);
}

static double weight_of(const struct light_set *lights, ptrdiff_t light, int lane, int style,
                        const float *weights, const float *shares)
{
    if (lights->lights[light].style != style)
        return 0;
    return (double)weights[light * TRACE_PACKET + lane] * (shares ? (double)shares[light] : 1);
}

void lights_pick(const struct light_set *lights, const struct light_place *place, int lane,
                 double random, int style, const float *weights, const float *shares,
                 struct light_choice *out)
{
    double total = 0, sum = 0, chosen_weight = 0;
    ptrdiff_t count = arrlen(lights->lights), chosen = -1;
    *out = (struct light_choice){0};
    for (ptrdiff_t i = 0; i < count; i++)
        total += weight_of(lights, i, lane, style, weights, shares);
    if (!(total > 0))
        return;
    for (ptrdiff_t i = 0; i < count && (chosen < 0 || sum <= random * total); i++) {
        double weight = weight_of(lights, i, lane, style, weights, shares);
        if (weight > 0) {
            chosen = i;
            chosen_weight = weight;
        }
        sum += weight;
    }
    lights_take(&lights->lights[chosen], place, out);
    out->scale = out->scale * total / chosen_weight;
    out->attenuation = out->attenuation * total / chosen_weight;
}

void lights_weigh(const struct scene *scene, const struct light_set *lights,
                  const struct light_filter *filter, uint32_t lanes,
                  const struct light_place places[TRACE_PACKET], float *weights)
{
    struct rows rows;
    load_rows(lanes, places, &rows);
    for (int i = 0; i < (int)arrlen(lights->lights); i++) {
        const struct light *light = &lights->lights[i];
        float *weight = weights + (size_t)i * TRACE_PACKET;
        if ((light->style == 0 || filter->all_styles) && light->type != WORLDLIGHT_SKY_AMBIENT &&
            !(filter->skipped && filter->skipped[i]) && may_reach(scene, lights, i, &rows))
            weigh(light, &rows, weight);
        else
            memset(weight, 0, TRACE_PACKET * sizeof *weight);
    }
}
