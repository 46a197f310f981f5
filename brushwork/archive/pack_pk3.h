/* Packs a Quake 3 map and the files that it uses into a PK3. */
#ifndef BRUSHWORK_ARCHIVE_PACK_PK3_H
#define BRUSHWORK_ARCHIVE_PACK_PK3_H

#include "common/cli/program.h"

struct pack_pk3_options {
    const struct standard_options *standard; /* the game */
    const char *out;
    const char *const *exclude; /* paths of lists */
    size_t exclude_count;
    bool with_game;
};

/* Reads the BSP at `path` and writes the archive, whose bytes depend only on its content. */
NODISCARD enum status pack_pk3(const struct program *program, const char *path,
                               const struct pack_pk3_options *options);

#endif
