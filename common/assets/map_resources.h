/* Resources that a Quake 3 map needs: shaders and their images, skies, models, sounds. */
#ifndef ASSETS_MAP_RESOURCES_H
#define ASSETS_MAP_RESOURCES_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"

struct map_resource {
    const char *name; /* lower case, with / */
    struct bytes data;
};

struct map_resources {
    struct map_resource *files; /* stb_ds array, in byte order of their names */
    size_t of_game;             /* left out because the game has them in its own packs */
    size_t excluded;            /* left out by `exclude` */
    size_t missing;             /* found nowhere (reported) */
    struct arena arena;
};

struct map_resource_options {
    const char *map; /* name of the map, "q3dm1" */
    /* Patterns of files or shaders to leave out: * stands for any run of characters, ? for one. */
    const char *const *exclude;
    size_t exclude_count;
    bool with_game; /* include files of the game's own packs */
};

/* Collects the resources: shaders of the map's list, its effects and the shaders that entities
 * change, with the images of all their stages, sky boxes and videos; models that entities name,
 * with their shaders; sounds and music; maps/MAP.aas, levelshots/MAP and scripts/MAP.arena if they
 * exist. When another script has the map's arena block, that block alone becomes scripts/MAP.arena.
 * Scripts are reduced to the shaders that are used: scripts/MAP.shader. The map itself is not
 * included.
 *
 * The game's own packs are those called pakN... in a game folder. Missing resources are reported
 * (A030, A039) and left out. Free with map_resources_free. */
void map_resources_collect(struct assets *assets, const struct bsp *bsp,
                           const struct map_resource_options *options, struct map_resources *out);
void map_resources_free(struct map_resources *resources);

#endif
