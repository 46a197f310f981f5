#include "vrad/direct/candidates.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/lights/light_set.h"
#include "vrad/lights/patch_shape.h"

/* Lights that contribute less than this, of 255, at the nearest point of a face are skipped: a
 * hundredth of the minimum that a lightmap can show. */
#define MIN_LIGHT 1e-3

/* A light is far if it is more than so many luxels away. */
#define FAR_LUXELS 8.0

/* Luxels may lie so far off the plane of the first one of their face, in units. */
#define HEIGHT_MARGIN 2.0

bool light_reaches_any(const struct light_set *lights, int light, const int *clusters)
{
    for (ptrdiff_t i = 0; i < arrlen(clusters); i++)
        if (light_reaches(lights, light, clusters[i]))
            return true;
    return arrlen(clusters) == 0;
}

static double gap_to(const struct light *light, const struct bounds *box)
{
    struct vec3 gap;
    for (int k = 0; k < 3; k++)
        gap.e[k] = portable_fmax(
            portable_fmax(box->mins.e[k] - light->origin.e[k], light->origin.e[k] - box->maxs.e[k]),
            0);
    return vec3_length(gap);
}

/* Returns true if the light at the middle of a luxel can stand for all of it. */
static bool is_far(const struct receiver *to, const struct light *light, const struct bounds *box)
{
    const struct face_light *face = to->face;
    double size = portable_fmax(vec3_length(face->axis[0]), vec3_length(face->axis[1]));
    return !to->options->thorough && !face->mesh && light->type != WORLDLIGHT_SKY &&
           light->type != WORLDLIGHT_SPOT && gap_to(light, box) > FAR_LUXELS * size;
}

static bool is_near(const struct light *light, const struct bounds *box)
{
    return light->shape && patch_is_near(light->shape, gap_to(light, box));
}

/* How far a near light stands out of the plane through its middle with that normal. */
static double height_of(const struct light *light, struct vec3 normal)
{
    double height = 0;
    for (int i = 0; i < light->shape->count; i++)
        height = portable_fmax(height,
                               vec3_dot(normal, vec3_sub(light->shape->corners[i], light->origin)));
    return height;
}

/* Returns true if a flat face lies behind the plane of the light's middle, and sees no more of it.
 */
static bool is_behind(const struct face_light *face, const struct light *light,
                      const struct bounds *box)
{
    if (face->mesh)
        return false;
    double over = vec3_dot(face->normal, vec3_sub(light->origin, luxel_position(face, 0)));
    return over < 0 && !(is_near(light, box) && over + height_of(light, face->normal) > 0);
}

/* Upper bound of a local light's contribution to a luxel of the face; 0 when either is behind the
 * other. */
static double light_strength(const struct face_light *face, const struct light *light,
                             const struct bounds *box)
{
    if (is_behind(face, light, box))
        return 0;
    if (light->type == WORLDLIGHT_SURFACE) {
        /* The corner of the box that lies furthest along the light's normal. */
        struct vec3 top;
        for (int k = 0; k < 3; k++)
            top.e[k] = light->normal.e[k] > 0 ? box->maxs.e[k] : box->mins.e[k];
        if (vec3_dot(light->normal, vec3_sub(top, light->origin)) <= 0)
            return 0;
    }
    return light_grey(light) * light_falloff(light, gap_to(light, box));
}

static double strength(const struct face_light *face, const struct light *light,
                       const struct bounds *box)
{
    switch (light->type) {
    case WORLDLIGHT_POINT:
    case WORLDLIGHT_SPOT:
    case WORLDLIGHT_SURFACE:
        return light_strength(face, light, box);
    case WORLDLIGHT_SKY:
        if (!face->mesh && -vec3_dot(face->normal, light->normal) <= (double)LIGHT_GRAZING)
            return 0;
        return light_grey(light);
    default:
        return 0;
    }
}

/* Of luxels that are not hidden. */
static struct bounds luxel_box(const struct face_light *face)
{
    struct bounds box = bounds_empty();
    double half = vec3_length(face->axis[0]) + vec3_length(face->axis[1]);
    for (int i = 0; i < face->count; i++)
        if (!luxel_is_hidden(face, i))
            bounds_add_point(&box, luxel_position(face, i));
    for (int k = 0; k < 3; k++) {
        box.mins.e[k] -= half / 2;
        box.maxs.e[k] += half / 2;
    }
    return box;
}

static int stronger_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->strength != y->strength)
        return x->strength > y->strength ? -1 : 1;
    return x->light - y->light;
}

double candidate_reach(const struct receiver *to, const struct reaching_lights *from, int number)
{
    const struct light *light = &from->set->lights[number];
    const struct face_light *face = to->face;
    double reach = (double)from->radii.distance[number],
           received = light_end_received(from->set, light);
    bool by_square =
        light->type == WORLDLIGHT_SURFACE || (!(light->ramp > 0) && light->quadratic >= 1);
    if (!(received > 0) || face->mesh || !by_square || light_has_facing(light) ||
        light->type == WORLDLIGHT_SKY)
        return reach;
    double height = vec3_dot(face->normal, vec3_sub(light->origin, luxel_position(face, 0)));
    double whole =
        light_whole(light, light_grey(light)) * (portable_fmax(height, 0) + HEIGHT_MARGIN);
    double near = portable_fmax(area_light_near(light), light->min_distance);
    return portable_fmin(reach, portable_fmax(portable_cbrt(whole / received), near));
}

void reaching_lights_make(const struct light_set *set, const struct direct_options *options,
                          struct reaching_lights *out)
{
    out->set = set;
    out->min = portable_fmax(portable_fmax(MIN_LIGHT, options->min), set->end.envelope);
    light_radii_make(set->lights, out->min, &out->radii);
}

void reaching_lights_free(struct reaching_lights *lights)
{
    light_radii_free(&lights->radii);
}

struct candidate *candidates_find(const struct receiver *to, const struct reaching_lights *from)
{
    struct candidate *candidates = NULL;
    const struct light_set *lights = from->set;
    struct bounds box = luxel_box(to->face);
    if (box.mins.x > box.maxs.x) /* all luxels are hidden */
        return NULL;
    int *near = ARENA_ARRAY(to->arena, int, arrlenu(lights->lights));
    int count = light_radii_find(&from->radii, &box, near);
    arrsetcap(candidates, (size_t)count);
    for (int n = 0; n < count; n++) {
        int i = near[n];
        if (!light_reaches_any(lights, i, to->face->clusters))
            continue;
        const struct light *light = &lights->lights[i];
        if (gap_to(light, &box) > candidate_reach(to, from, i))
            continue;
        struct candidate candidate = {.light = i, .strength = strength(to->face, light, &box)};
        if (!(light_whole(light, candidate.strength) > from->min))
            continue;
        candidate.far = is_far(to, light, &box);
        candidate.near = is_near(light, &box);
        arrput(candidates, candidate);
    }
    if (arrlen(candidates) > 1)
        qsort(candidates, arrlenu(candidates), sizeof *candidates, stronger_first);
    return candidates;
}
