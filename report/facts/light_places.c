#include "report/facts/light_places.h"

#include <math.h>
#include <stdlib.h>

#include "common/core/array.h"

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

void light_places_find(const struct entity_list *entities, struct light_changes *changes)
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
