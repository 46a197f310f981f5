/* Internal: packs all files that a Source map uses and that the game does not have. */
#ifndef BRUSHWORK_PACKING_PACK_AUTO_H
#define BRUSHWORK_PACKING_PACK_AUTO_H

#include "brushwork/packing/archive_edit.h"
#include "common/cli/program.h"
#include "common/usage/usage.h"

struct pack_auto_options {
    const struct standard_options *standard;
    const char *map;          /* name of the map; NULL: that of its file */
    const char *const *stock; /* what --stock names */
    size_t stock_count;
    bool prune; /* also remove what is needless */
};

/* The files that were found; zero-initialise. */
struct pack_auto_result {
    struct usage usage;
    uint64_t *sizes;      /* stb_ds array: bytes of each file that is added, else 0 */
    const char **sources; /* stb_ds array: the mount of each file, or NULL */
    size_t count[USAGE_PLACES];
    size_t needless; /* packed, and the game's or used by nothing: those that stay */
    bool is_pruned;
    size_t removed;     /* those that do not */
    uint64_t added;     /* bytes */
    struct arena arena; /* the names of mounts */
};

/* Finds what is used and puts what is to be added into the pakfile, in the order of names; removes
 * from it what is needless, if that is asked for: files that nothing uses, and copies of the
 * game's. Reports files that are missing (A070), hidden (A072) and needless, but stay (A073).
 * Without a game or search paths it fails with DIAG_USAGE. Free the result with pack_auto_free,
 * also after a failure. */
NODISCARD enum status pack_auto(struct archive_edit *edit, const struct pack_auto_options *options,
                                struct pack_auto_result *out);
void pack_auto_free(struct pack_auto_result *result);

/* Fills the counts and the names of mounts from the graph. */
void pack_auto_count(struct pack_auto_result *result, const struct assets *assets);

/* "12 added (34567 bytes), 3 missing ..." */
const char *pack_auto_summary(const struct pack_auto_result *result, struct arena *arena);

/* A line for each file: what is added, removed, excluded, missing, needless, packed, the game's,
 * each by name; and why. The second prints the summary, too. */
void pack_auto_print_rows(const struct pack_auto_result *result, FILE *out);
void pack_auto_print(const struct pack_auto_result *result, FILE *out);
void pack_auto_print_json(const struct pack_auto_result *result, const char *path, FILE *out);

#endif
