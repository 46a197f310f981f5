/* Statistics of a cache in a folder: what the runs that used it have found there, and what that has
 * saved.
 *
 * They are in the files statistics-YYYY-MM of the folder, to which each run adds its lines with one
 * write, so that any number of processes can do so without a lock. Lines that are none count for
 * nothing: on a network file system two writes may meet. */
#ifndef CACHE_CACHE_STATS_H
#define CACHE_CACHE_STATS_H

#include <stdint.h>

#include "common/core/bytes.h"
#include "common/io/fs.h"

enum { CACHE_STAGES = 3 };
extern const char *const cache_stages[CACHE_STAGES]; /* their names */

struct cache_stage_stats {
    uint64_t hits, misses;
    uint64_t saved_ms; /* CPU time that the results which were used took to make */
};

/* Bytes of entries as they are stored, with their headers. */
struct cache_bytes_stats {
    uint64_t read, written;
};

struct cache_stats {
    uint64_t runs;
    struct cache_stage_stats stages[CACHE_STAGES];
    struct cache_bytes_stats folder, server;
};

/* Returns the number of a stage, or CACHE_STAGES. */
int cache_stage_number(const char *name);

/* Appends the lines of one run. */
void cache_stats_format(const struct cache_stats *stats, struct bytes *out);
/* Adds what the lines of a file say; sums that would be too large stay at the largest number. */
void cache_stats_parse(const struct bytes *text, struct cache_stats *sum);

/* Adds a run to the folder. Returns 0 or an errno value. */
int cache_stats_add(struct fs *fs, const char *folder, const struct cache_stats *stats);
/* Sums all of a folder. Returns 0 or an errno value of the folder; a file that cannot be read is
 * left out. */
int cache_stats_read(struct fs *fs, const char *folder, struct cache_stats *out);
/* Removes them. Returns 0 or the errno value of one that could not be. */
int cache_stats_remove(struct fs *fs, const char *folder);

#endif
