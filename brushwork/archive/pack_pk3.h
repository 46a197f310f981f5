/* A map of Quake 3 and what it uses, in one PK3. */
#ifndef BRUSHWORK_ARCHIVE_PACK_PK3_H
#define BRUSHWORK_ARCHIVE_PACK_PK3_H

#include "common/cli/program.h"

struct pack_pk3 {
    const struct standard_options *standard; /* the game */
    const char *out;
    const char *const *exclude; /* files of lists */
    size_t exclude_count;
    bool with_game;
};

/* Reads the BSP at `path` and writes the archive; its bytes depend on nothing but what is in it. */
NODISCARD enum status pack_pk3(const struct program *program, const char *path,
                               const struct pack_pk3 *job);

#endif
