/* The spawns of a map, of which those near each other are one. */
#ifndef REPORT_FACTS_SPAWNS_H
#define REPORT_FACTS_SPAWNS_H

#include "scene/views/scene_view.h"

/* Spawns that are nearer than this, in units, and see each other. */
#define SPAWNS_NEAR 256.0

struct spawn_view {
    struct scene_view view;
    size_t others; /* spawns near it */
};

/* Returns at most `wanted` views, an stb_ds array: the first spawn, then each time the one that is
 * farthest from those before. None for a map without a spawn in the open. */
struct spawn_view *spawn_views_choose(const struct map_scene *scene, size_t wanted);

#endif
