#include "report/facts/light_changes.h"

#include <math.h>
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/luminance.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "common/text/entities.h"
#include "common/trace/trace.h"
#include "report/facts/material_areas.h"
#include "scene/light/gamma.h"
#include "scene/shade/light_at.h"

/* Surfaces whose light differs, by their place. */

/* A place is what is this near to its first surface; an entity gives its name to what is this near
 * to it. In units. */
#define PLACE_RADIUS 512.0
#define NAME_RADIUS  768.0

/* A surface on which less is seen has no place. */
#define LEAST_SEEN 2.0

enum { PLACES_MAX = 64 };

/* --- names --- */

static bool is_better(bool has_name, double distance, bool best_has_name, double best_distance)
{
    return has_name != best_has_name ? has_name : distance < best_distance;
}

/* The nearest entity with a name of its own, else the nearest one. */
static const char *name_near(const struct entity_list *entities, struct vec3 at,
                             struct arena *arena)
{
    const struct entity *best = NULL;
    double best_distance = NAME_RADIUS;
    bool best_has_name = false;
    for (size_t i = 1; i < arrlenu(entities->entities); i++) {
        const struct entity *entity = &entities->entities[i];
        struct vec3 origin;
        if (!entity_vector(entity, "origin", &origin))
            continue;
        const double distance = vec3_distance(origin, at);
        const bool has_name = *entity_value(entity, "targetname") != 0;
        if (!(distance < NAME_RADIUS) ||
            (best && !is_better(has_name, distance, best_has_name, best_distance)))
            continue;
        best = entity;
        best_distance = distance;
        best_has_name = has_name;
    }
    if (!best)
        return "";
    const char *class = entity_value(best, "classname");
    return best_has_name
               ? arena_printf(arena, "\"%s\" (%s)", entity_value(best, "targetname"), class)
               : arena_strdup(arena, class);
}

/* --- places --- */

static bool is_brighter(const struct light_change *change)
{
    return change->now > change->then;
}

/* From means back to sums. */
static struct light_change sums_of(const struct light_change *change)
{
    struct light_change sums = *change;
    sums.now *= change->area;
    sums.then *= change->area;
    sums.seen *= change->area;
    return sums;
}

/* Adds the sums of a part; light_change_divide makes means of sums. */
static void light_change_add(struct light_change *sum, const struct light_change *part)
{
    sum->now += part->now;
    sum->then += part->then;
    sum->seen += part->seen;
    sum->area += part->area;
    if (fabs(part->worst) > fabs(sum->worst)) {
        sum->worst = part->worst;
        sum->worst_at = part->worst_at;
        sum->worst_normal = part->worst_normal;
    }
}

static void light_change_divide(struct light_change *sum)
{
    if (!(sum->area > 0))
        return;
    sum->now /= sum->area;
    sum->then /= sum->area;
    sum->seen /= sum->area;
}

static void gather(const struct light_changes *changes, size_t first, bool *taken,
                   struct light_place *place)
{
    const struct light_change *seed = &changes->worst[first];
    double largest = 0;
    for (size_t i = first; i < arrlenu(changes->worst); i++) {
        const struct light_change *change = &changes->worst[i];
        if (taken[i] || change->seen < LEAST_SEEN || is_brighter(change) != is_brighter(seed) ||
            vec3_distance(change->worst_at, seed->worst_at) > PLACE_RADIUS)
            continue;
        const struct light_change sums = sums_of(change);
        taken[i] = true;
        place->surfaces++;
        light_change_add(&place->light, &sums);
        place->middle = vec3_mad(place->middle, change->worst_at, change->area);
        if (change->area > largest) {
            largest = change->area;
            place->light.material = change->material;
        }
    }
    place->middle = vec3_scale(place->middle, 1 / place->light.area);
    light_change_divide(&place->light);
}

static double weight_of(const struct light_place *place)
{
    return place->light.area * place->light.seen;
}

static int compare_places(const void *a, const void *b)
{
    const struct light_place *first = a, *second = b;
    const double p = weight_of(first), q = weight_of(second);
    if (p < q || p > q)
        return p < q ? 1 : -1;
    for (int k = 0; k < 3; k++)
        if (first->middle.e[k] < second->middle.e[k] || first->middle.e[k] > second->middle.e[k])
            return first->middle.e[k] < second->middle.e[k] ? -1 : 1;
    return 0;
}

/* Joins the surfaces of changes->worst to changes->places. */
static void light_places_find(const struct entity_list *entities, struct light_changes *changes)
{
    const size_t count = arrlenu(changes->worst);
    bool *taken = memory_zalloc(count + 1, sizeof *taken);
    for (size_t i = 0; i < count && arrlen(changes->places) < PLACES_MAX; i++) {
        struct light_place place = {.surfaces = 0};
        if (taken[i] || changes->worst[i].seen < LEAST_SEEN)
            continue;
        gather(changes, i, taken, &place);
        place.name = name_near(entities, place.middle, &changes->arena);
        arrput(changes->places, place);
    }
    memory_free(taken);
    if (arrlen(changes->places))
        qsort(changes->places, arrlenu(changes->places), sizeof *changes->places, compare_places);
}

/* Below this, in steps of 255 on the screen, two lights are the same. */
#define LIGHT_SAME 1.0

/* Samples are this far from each other, and farther in maps that would have more of them. */
#define SPACING 16.0
#define SAMPLES 300000.0

enum { ROWS_MAX = 256 /* of samples along an edge of a triangle */ };

/* The older surface is looked for this far before and behind, in units, and faces the same way. */
#define REACH    0.5
#define SAME_WAY 0.9

struct comparing {
    const struct map_scene *now, *then;
    const float *positions;
    double spacing;
    struct light_change *triangles; /* of each triangle of the map; area 0: not compared */
};

/* --- a sample --- */

static bool has_baked_light(const struct surface *surface)
{
    return surface->prop < 0 &&
           (surface->lit_by == LIT_BY_LUXELS || surface->lit_by == LIT_BY_VERTICES);
}

static struct surface_hit hit_of(const struct map_scene *scene, uint32_t triangle,
                                 struct vec3 point, const double weights[3])
{
    struct surface_hit hit = surface_hit_of(scene, triangle);
    hit.point = point;
    for (int k = 0; k < 3; k++)
        hit.weights[k] = weights[k];
    return hit;
}

static double luminance_at(const struct map_scene *scene, const struct surface_hit *hit)
{
    float light[3];
    scene_light_at(scene, hit, light);
    return luminance_of(light);
}

/* Finds the surface of the older map at the place of one of the map. */
static bool find_then(const struct map_scene *then, const struct surface_hit *now,
                      struct surface_hit *out)
{
    struct trace_ray ray = {.far = (float)(2 * REACH)};
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = (float)(now->point.e[k] + REACH * now->normal.e[k]);
        ray.direction[k] = (float)-now->normal.e[k];
    }
    const struct trace_hit hit = trace_closest(then->mesh.trace, TRACE_FACE | TRACE_SKY, &ray);
    if (hit.distance < 0 || hit.class == TRACE_SKY)
        return false;
    const double weights[3] = {1 - (double)hit.u - (double)hit.v, (double)hit.u, (double)hit.v};
    *out = hit_of(then, hit.triangle, now->point, weights);
    return has_baked_light(out->surface) && vec3_dot(out->normal, now->normal) > SAME_WAY;
}

static void add_sample(const struct comparing *job, uint32_t triangle, struct vec3 point,
                       const double weights[3], double area, struct light_change *change)
{
    const struct surface_hit now = hit_of(job->now, triangle, point, weights);
    struct surface_hit then;
    if (!find_then(job->then, &now, &then))
        return;
    const double light = luminance_at(job->now, &now), before = luminance_at(job->then, &then);
    const double seen = (double)gamma_byte(light / 255) - (double)gamma_byte(before / 255);
    change->now += area * light;
    change->then += area * before;
    change->seen += area * fabs(seen);
    change->area += area;
    if (fabs(seen) > fabs(change->worst)) {
        change->worst = seen;
        change->worst_at = point;
        change->worst_normal = now.normal;
    }
}

/* --- triangles: sums, which become means with all of a surface --- */

static struct vec3 corner(const struct comparing *job, size_t triangle, size_t number)
{
    return vec3_from_floats(job->positions + 9 * triangle + 3 * number);
}

/* A sample in the middle of each part, of rows * rows equal ones. */
static void compare_triangle(void *context, size_t index, int thread)
{
    const struct comparing *job = context;
    const struct triangle *triangle = &job->now->mesh.triangles[index];
    const double area = triangle_area(job->positions + 9 * index);
    (void)thread;
    if (!has_baked_light(&job->now->mesh.surfaces[triangle->surface]) || !(area > 0))
        return;
    const int rows =
        (int)portable_fmin(portable_fmax(ceil(sqrt(2 * area) / job->spacing), 1), ROWS_MAX);
    const struct vec3 a = corner(job, index, 0), b = corner(job, index, 1),
                      c = corner(job, index, 2);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < 2 * (rows - i) - 1; k++) {
            const double third = k % 2 ? 2.0 / 3 : 1.0 / 3;
            const double u = (k / 2 + third) / rows, v = (i + third) / rows;
            const double weights[3] = {1 - u - v, u, v};
            const struct vec3 point =
                vec3_add(vec3_scale(a, weights[0]), vec3_add(vec3_scale(b, u), vec3_scale(c, v)));
            add_sample(job, (uint32_t)index, point, weights, area / ((double)rows * rows),
                       &job->triangles[index]);
        }
}

/* --- surfaces --- */

/* The most visible first; of equals the larger, and then the first. */
static int compare_changes(const void *a, const void *b)
{
    const struct light_change *first = a, *second = b;
    if (first->seen < second->seen || first->seen > second->seen)
        return first->seen < second->seen ? 1 : -1;
    if (first->area < second->area || first->area > second->area)
        return first->area < second->area ? 1 : -1;
    for (int k = 0; k < 3; k++)
        if (first->worst_at.e[k] < second->worst_at.e[k] ||
            first->worst_at.e[k] > second->worst_at.e[k])
            return first->worst_at.e[k] < second->worst_at.e[k] ? -1 : 1;
    return 0;
}

static void sum_surfaces(const struct comparing *job, const struct report_source *source,
                         struct light_changes *out)
{
    const struct mesh *mesh = &job->now->mesh;
    const size_t count = arrlenu(mesh->surfaces);
    struct light_change *sums = memory_zalloc(count + 1, sizeof *sums);
    for (size_t i = 0; i < arrlenu(mesh->triangles); i++)
        light_change_add(&sums[mesh->triangles[i].surface], &job->triangles[i]);
    for (size_t i = 0; i < count; i++) {
        if (!(sums[i].area > 0))
            continue;
        light_change_add(&out->all, &sums[i]);
        out->compared++;
        light_change_divide(&sums[i]);
        sums[i].material = surface_material(source->map.render, &mesh->surfaces[i], &out->arena);
        if (fabs(sums[i].worst) > LIGHT_SAME)
            arrput(out->worst, sums[i]);
    }
    light_change_divide(&out->all);
    memory_free(sums);
    if (arrlen(out->worst))
        qsort(out->worst, arrlenu(out->worst), sizeof *out->worst, compare_changes);
}

static double spacing_for(const struct comparing *job, size_t count)
{
    double area = 0;
    for (size_t i = 0; i < count; i++)
        area += triangle_area(job->positions + 9 * i);
    return portable_fmax(SPACING, sqrt(area / SAMPLES));
}

void light_changes_find(const struct env *env, const struct report_source *source,
                        struct light_changes *out)
{
    struct comparing job = {.now = &source->map.render->scene,
                            .then = &source->against.render->scene};
    size_t count;
    if (!job.now->mesh.lit || !job.then->mesh.lit)
        return;
    job.positions = trace_positions(job.now->mesh.trace, TRACE_FACE, &count);
    if (count > arrlenu(job.now->mesh.triangles))
        count = arrlenu(job.now->mesh.triangles);
    job.spacing = out->spacing = spacing_for(&job, count);
    job.triangles = memory_zalloc(arrlenu(job.now->mesh.triangles) + 1, sizeof *job.triangles);
    parallel_for(env->threads, count, compare_triangle, &job);
    sum_surfaces(&job, source, out);
    memory_free(job.triangles);
    light_places_find(&job.now->entities, out);
}

void light_changes_free(struct light_changes *changes)
{
    arrfree(changes->worst);
    arrfree(changes->places);
    arena_free(&changes->arena);
}
