/* Packs Quake 3 maps and the files that they use into a PK3. */
#ifndef BRUSHWORK_ARCHIVE_PACK_PK3_H
#define BRUSHWORK_ARCHIVE_PACK_PK3_H

#include "common/cli/program.h"

struct pack_pk3_options {
    const struct standard_options *standard; /* the game */
    const char *out;
    const char *const *exclude; /* paths of lists */
    size_t exclude_count;
    bool with_game, dry_run;
};

/* Reads the BSPs, whose names must differ, and writes the archive, unless it is a dry run; its
 * bytes depend only on their content. Files that several use are there once. Prints the table of
 * each map, and reports what is missing (A030, A039). */
NODISCARD enum status pack_pk3(const struct program *program, const char *const *paths,
                               size_t count, const struct pack_pk3_options *options);

#endif
