/* A cache in a folder: a file for each entry, written beside its place and renamed. No locks:
 * readers find a whole file or none, and a file that is removed meanwhile is absent. */
#ifndef CACHE_CACHE_FOLDER_H
#define CACHE_CACHE_FOLDER_H

#include "common/cache/cache_backend.h"
#include "common/core/arena.h"

/* All is borrowed. */
struct cache_backend *cache_folder_new(const struct env *env, const struct cache_options *options,
                                       const char *place);

/* --- all of a folder --- */

struct cache_file {
    const char *path;
    struct cache_key key;
    uint64_t size;
    int64_t used; /* when it was last written or read, in nanoseconds */
};

struct cache_listing {
    struct cache_file *files; /* stb_ds array, by kind, then by hash */
    struct arena texts;
};

/* Lists the entries of a folder by their names. Returns 0 or an errno value, with what could be
 * listed: an entry that cannot be looked at is not listed. Free with cache_listing_free. */
int cache_list(struct fs *fs, const char *folder, struct cache_listing *out);
void cache_listing_free(struct cache_listing *listing);

/* Sum of the sizes. */
uint64_t cache_listing_bytes(const struct cache_listing *listing);

enum cache_state {
    CACHE_WHOLE, /* and of its name */
    CACHE_OLD,   /* of an earlier release, gone since, or too large for the memory of the run */
    CACHE_CORRUPT
};

/* Reads an entry. Signatures are not looked at. */
enum cache_state cache_file_check(struct fs *fs, const struct cache_file *file);

/* Removes entries, those that were not used for longest first, until the others have at most
 * `bytes`. Other processes may do the same. Returns the number of files removed; *error is 0 or the
 * errno value of one that could not be. */
size_t cache_trim(struct fs *fs, struct cache_listing *listing, uint64_t bytes, int *error);

/* Removes all entries, what runs that were killed have left of them, the folders of a cache that
 * are empty then, its statistics, and its CACHEDIR.TAG. What else is in the folder stays, with the
 * folder itself. As cache_trim. */
size_t cache_clear(struct fs *fs, const char *folder, struct cache_listing *listing, int *error);

/* CACHEDIR.TAG (bford.info/cachedir), for backup programs, and what is in it. */
#define CACHE_TAG "CACHEDIR.TAG"

#endif
