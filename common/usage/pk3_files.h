/* The files of a .pk3 of a Quake 3 map, by the graph of what it uses. */
#ifndef USAGE_PK3_FILES_H
#define USAGE_PK3_FILES_H

#include "common/usage/usage.h"

struct pk3_file {
    const char *name; /* lower case, with `/` */
    struct bytes data;
    int64_t of; /* index of the file in the graph, or -1 */
};

/* Returns the files that the map uses and the game does not have, in byte order of their names: an
 * stb_ds array. Shader scripts are reduced to the shaders that are used, in scripts/MAP.shader, and
 * scripts for menus to the block of the map. The map itself is not among them. Names are in the
 * arena. Files that cannot be read are reported. Free with pk3_files_free. */
struct pk3_file *pk3_files_make(struct assets *assets, const char *map, const struct usage *usage,
                                struct arena *arena);
void pk3_files_free(struct pk3_file *files);

#endif
