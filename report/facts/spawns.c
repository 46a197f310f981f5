#include "report/facts/spawns.h"

#include <float.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

enum { CONSIDERED = 1024 /* spawns: each is compared with each */ };

static bool see_each_other(const struct map_scene *scene, struct vec3 a, struct vec3 b)
{
    struct trace_ray ray = {.far = 1};
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = (float)a.e[k];
        ray.direction[k] = (float)(b.e[k] - a.e[k]);
    }
    return !trace_occluded(scene->mesh.trace, TRACE_FACE | TRACE_SKY, &ray);
}

/* Returns the first spawn that this one is near, or NULL. */
static struct spawn_view *near_one(const struct map_scene *scene, struct spawn_view *spawns,
                                   const struct scene_view *view)
{
    for (size_t i = 0; i < arrlenu(spawns); i++)
        if (vec3_distance(spawns[i].view.eye, view->eye) < SPAWNS_NEAR &&
            see_each_other(scene, spawns[i].view.eye, view->eye))
            return &spawns[i];
    return NULL;
}

static struct spawn_view *spawns_of(const struct map_scene *scene)
{
    struct scene_view *views = scene_spawn_views(scene);
    struct spawn_view *spawns = NULL;
    for (size_t i = 0; i < arrlenu(views) && i < CONSIDERED; i++) {
        struct spawn_view *joined = near_one(scene, spawns, &views[i]);
        if (joined)
            joined->others++;
        else
            arrput(spawns, ((struct spawn_view){.view = views[i]}));
    }
    arrfree(views);
    return spawns;
}

static double distance_to(const struct spawn_view *spawns, size_t count, struct vec3 eye)
{
    double nearest = DBL_MAX;
    for (size_t i = 0; i < count; i++)
        nearest = portable_fmin(nearest, vec3_distance(spawns[i].view.eye, eye));
    return nearest;
}

static size_t farthest_of(const struct spawn_view *spawns, size_t chosen)
{
    size_t farthest = chosen;
    double greatest = -1;
    for (size_t i = chosen; i < arrlenu(spawns); i++) {
        const double distance = distance_to(spawns, chosen, spawns[i].view.eye);
        if (distance > greatest) {
            greatest = distance;
            farthest = i;
        }
    }
    return farthest;
}

struct spawn_view *spawn_views_choose(const struct map_scene *scene, size_t wanted)
{
    struct spawn_view *spawns = spawns_of(scene);
    for (size_t chosen = 1; chosen < wanted && chosen < arrlenu(spawns); chosen++) {
        const size_t farthest = farthest_of(spawns, chosen);
        const struct spawn_view taken = spawns[farthest];
        spawns[farthest] = spawns[chosen];
        spawns[chosen] = taken;
    }
    if (arrlenu(spawns) > wanted)
        arrsetlen(spawns, wanted);
    return spawns;
}
