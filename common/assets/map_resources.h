/* What a map of Quake 3 needs to run: shaders and their images, skies, models, sounds. */
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
    size_t of_game;             /* that are left out: the game has them in packs of its own */
    size_t excluded;            /* that are left out: asked for */
    size_t missing;             /* that are nowhere (reported) */
    struct arena arena;
};

struct map_resource_options {
    const char *map; /* its name, "q3dm1" */
    /* Names of files or shaders that are left out, where * stands for anything and ? for a
     * character. */
    const char *const *exclude;
    size_t exclude_count;
    bool with_game; /* files of the game's own packs too */
};

/* Collects: shaders of the map's list, its effects and the shaders that entities change; of each
 * its images in all stages, sky boxes and videos; models that entities name, with their shaders;
 * sounds and music; maps/MAP.aas, the picture levelshots/MAP and scripts/MAP.arena where they are;
 * where another script has the map's block, that alone becomes scripts/MAP.arena.
 * Scripts are trimmed to the shaders that are used: scripts/MAP.shader. The map itself is not among
 * them.
 *
 * The game's own are packs called pakN... in a game folder. What is nowhere is reported (A030,
 * A039) and left out. Free with map_resources_free. */
void map_resources_collect(struct assets *assets, const struct bsp *bsp,
                           const struct map_resource_options *options, struct map_resources *out);
void map_resources_free(struct map_resources *resources);

#endif
