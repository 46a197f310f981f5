#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cache/cache_entry.h"
#include "common/cache/cache_folder.h"
#include "common/cache/cache_stats.h"
#include "common/core/array.h"

/* A walk over the folders of kinds, and in each over those of first digits. */
struct walk {
    struct fs *fs;
    struct cache_listing *listing;
    const char *folder, *kind, *digit; /* the way to where it is; NULL: not so deep */
    int error;
};

static void visit_below(const struct walk *walk, const char *name, fs_visit *visit,
                        struct walk *below)
{
    *below = *walk;
    below->folder = arena_printf(&walk->listing->texts, "%s/%s", walk->folder, name);
    below->error = walk->fs->ops->list(walk->fs, below->folder, visit, below);
}

/* A file that only has a name like that of an entry, in a folder that no stage has, is of somebody
 * else. */
static bool is_entry(const struct walk *walk, const char *path)
{
    struct bytes start = {0};
    bool is_one = cache_kind_is_known(walk->kind) ||
                  (walk->fs->ops->read_part(walk->fs, path, 0, CACHE_HEADER_SIZE, &start) == 0 &&
                   cache_entry_has_magic(start.data, start.size));
    bytes_free(&start);
    return is_one;
}

/* One that another process has removed meanwhile is no more. */
static void visit_entry(void *context, const char *name, bool is_directory)
{
    const struct walk *walk = context;
    struct cache_file file = {.key.kind = walk->kind};
    struct fs_info info = {0};
    if (is_directory || !cache_entry_parse_name(walk->digit, name, file.key.hash))
        return;
    file.path = arena_printf(&walk->listing->texts, "%s/%s", walk->folder, name);
    int error = walk->fs->ops->info ? walk->fs->ops->info(walk->fs, file.path, &info)
                                    : walk->fs->ops->size(walk->fs, file.path, &info.size);
    if (error || !is_entry(walk, file.path))
        return;
    file.size = info.size;
    file.used = info.modified;
    arrput(walk->listing->files, file);
}

static void visit_digit(void *context, const char *name, bool is_directory)
{
    struct walk *walk = context, below;
    if (!is_directory || strlen(name) != 1)
        return;
    walk->digit = arena_strdup(&walk->listing->texts, name);
    visit_below(walk, name, visit_entry, &below);
}

static void visit_kind(void *context, const char *name, bool is_directory)
{
    struct walk *walk = context, below;
    if (!is_directory || !cache_kind_is_valid(name))
        return;
    walk->kind = arena_strdup(&walk->listing->texts, name);
    visit_below(walk, name, visit_digit, &below);
}

int cache_list(struct fs *fs, const char *folder, struct cache_listing *out)
{
    *out = (struct cache_listing){0};
    struct walk walk = {.fs = fs, .listing = out, .folder = folder};
    return fs->ops->list(fs, folder, visit_kind, &walk);
}

void cache_listing_free(struct cache_listing *listing)
{
    arrfree(listing->files);
    arena_free(&listing->texts);
}

uint64_t cache_listing_bytes(const struct cache_listing *listing)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < arrlenu(listing->files); i++)
        sum += listing->files[i].size;
    return sum;
}

static int by_use(const void *a, const void *b)
{
    const struct cache_file *first = a, *second = b;
    if (first->used != second->used)
        return first->used < second->used ? -1 : 1;
    return strcmp(first->path, second->path);
}

size_t cache_trim(struct fs *fs, struct cache_listing *listing, uint64_t bytes, int *error)
{
    uint64_t left = cache_listing_bytes(listing);
    size_t removed = 0;
    *error = 0;
    if (listing->files)
        qsort(listing->files, arrlenu(listing->files), sizeof *listing->files, by_use);
    for (size_t i = 0; i < arrlenu(listing->files) && (left > bytes || !bytes); i++) {
        int failure = fs->ops->remove(fs, listing->files[i].path);
        bool is_gone = !failure || fs_error_is_absent(failure);
        removed += !failure;
        left -= is_gone ? listing->files[i].size : 0;
        if (!is_gone)
            *error = failure;
    }
    return removed;
}

/* ---- clear ---- */

/* Removes what a run that was killed has left, and the folder if nothing else is there. */
static void clear_digit(void *context, const char *name, bool is_directory)
{
    struct walk *walk = context;
    struct fs *fs = walk->fs;
    if (!is_directory || strlen(name) != 1 || !strchr("0123456789abcdef", *name))
        return;
    const char *folder = arena_printf(&walk->listing->texts, "%s/%s", walk->folder, name);
    /* Making a file and removing it again removes those of dead processes, too. */
    if (fs->ops->can_write)
        (void)fs->ops->can_write(fs, arena_printf(&walk->listing->texts, "%s/entry", folder));
    (void)fs->ops->remove_folder(fs, folder);
}

static void clear_kind(void *context, const char *name, bool is_directory)
{
    struct walk *walk = context, below;
    if (!is_directory || !cache_kind_is_known(name))
        return;
    visit_below(walk, name, clear_digit, &below);
    (void)walk->fs->ops->remove_folder(walk->fs, below.folder);
}

/* The file that backup programs look for, as it was written. */
static void clear_tag(struct walk *walk)
{
    struct bytes text = {0};
    const char *path = arena_printf(&walk->listing->texts, "%s/" CACHE_TAG, walk->folder);
    if (walk->fs->ops->read_part(walk->fs, path, 0, CACHE_HEADER_SIZE * 2, &text) == 0 &&
        text.size == strlen(cache_tag_text) && memcmp(text.data, cache_tag_text, text.size) == 0)
        (void)walk->fs->ops->remove(walk->fs, path);
    bytes_free(&text);
}

size_t cache_clear(struct fs *fs, const char *folder, struct cache_listing *listing, int *error)
{
    struct walk walk = {.fs = fs, .listing = listing, .folder = folder};
    size_t removed = cache_trim(fs, listing, 0, error);
    if (!fs->ops->remove_folder)
        return removed;
    (void)fs->ops->list(fs, folder, clear_kind, &walk);
    (void)cache_stats_remove(fs, folder);
    clear_tag(&walk);
    return removed;
}
