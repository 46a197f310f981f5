#include "common/cache/cache_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cache/cache_entry.h"
#include "common/cache/cache_stats.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs_gather.h"

/* After a removal, so that not each run that adds something has to remove something. */
#define KEPT_SHARE 0.9

/* Tells backup programs that the folder can be made again. */
static const char cache_tag_text[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Results of earlier runs of Brushwork, which can be removed.\n";

struct folder {
    struct cache_backend base;
    const struct env *env;
    const struct cache_options *options;
    const char *place;
    bool has_grown;
};

static struct folder *folder_of(struct cache_backend *backend)
{
    return (struct folder *)(void *)backend;
}

static const char *path_of(struct arena *arena, const struct folder *folder,
                           const struct cache_key *key)
{
    char name[CACHE_PATH_SIZE];
    cache_entry_path(key, name);
    return arena_printf(arena, "%s/%s", folder->place, name);
}

static struct cache_answer failed(const char *path, int error)
{
    bool is_denied = error == EACCES || error == EPERM;
    return cache_answer(is_denied ? CACHE_DENIED : CACHE_FAILED, "%s: %s", path,
                        str_error(error).text);
}

static enum cache_outcome outcome_of(int error)
{
    if (error == EACCES || error == EPERM)
        return CACHE_DENIED;
    return fs_error_is_absent(error) ? CACHE_ABSENT : CACHE_FAILED;
}

/* Reads the start of an entry whose file has `size` bytes. */
static enum cache_outcome read_header(struct fs *fs, const char *path, const struct cache_key *key,
                                      uint64_t size, unsigned char header[CACHE_HEADER_SIZE])
{
    struct bytes start = {0};
    struct cache_sizes sizes;
    int error = fs->ops->read_part(fs, path, 0, CACHE_HEADER_SIZE, &start);
    bool is_one = !error && start.size == CACHE_HEADER_SIZE &&
                  cache_entry_open(key, start.data, &sizes) &&
                  size - CACHE_HEADER_SIZE == sizes.stored;
    bool is_old =
        !error && start.size >= CACHE_OLD_HEADER_SIZE && cache_entry_is_old(start.data, size);
    if (is_one)
        memcpy(header, start.data, CACHE_HEADER_SIZE);
    bytes_free(&start);
    if (error)
        return outcome_of(error);
    return is_one ? CACHE_DONE : is_old ? CACHE_ABSENT : CACHE_DAMAGED;
}

/* A bound of the run's memory is not for the cache to reach. */
static bool fits_memory(uint64_t size)
{
    return size < memory_left() / 4;
}

static void use(struct fs *fs, const char *path)
{
    if (fs->ops->touch)
        (void)fs->ops->touch(fs, path);
}

/* Reads an entry, which may be less than its header says. */
static enum cache_outcome read_entry(struct fs *fs, const char *path, const struct cache_key *key,
                                     uint64_t size, struct cache_entry *out)
{
    struct cache_sizes sizes;
    enum cache_outcome outcome = read_header(fs, path, key, size, out->header);
    if (outcome != CACHE_DONE)
        return outcome;
    (void)cache_entry_open(key, out->header, &sizes);
    if (!fits_memory(sizes.stored + sizes.value))
        return CACHE_ABSENT;
    (void)bytes_extend(&out->stored, (size_t)sizes.stored);
    out->stored.size = 0;
    int error = fs->ops->read_part(fs, path, CACHE_HEADER_SIZE, (size_t)sizes.stored, &out->stored);
    if (error)
        bytes_undo(&out->stored, 0);
    if (error)
        return outcome_of(error);
    return out->stored.size == sizes.stored ? CACHE_DONE : CACHE_DAMAGED;
}

static struct cache_answer get_from(struct folder *folder, const char *path,
                                    const struct cache_key *key, struct cache_entry *out)
{
    struct fs *fs = fs_plain(folder->env->fs);
    uint64_t size;
    enum fs_kind kind = fs->ops->kind(fs, path);
    if (kind == FS_ABSENT)
        return cache_answer(CACHE_ABSENT, " ");
    if (kind != FS_FILE && kind != FS_UNREADABLE)
        return cache_answer(CACHE_FAILED, "%s: not a regular file", path);
    int error = fs->ops->size(fs, path, &size);
    if (kind == FS_UNREADABLE)
        return failed(path, error ? error : EIO);
    if (error)
        return fs_error_is_absent(error) ? cache_answer(CACHE_ABSENT, " ") : failed(path, error);
    enum cache_outcome outcome = read_entry(fs, path, key, size, out);
    if (outcome == CACHE_DONE && !folder->options->read_only)
        use(fs, path);
    if (outcome == CACHE_DENIED)
        return cache_answer(outcome, "%s: permission denied", path);
    return cache_answer(outcome, "%s", outcome == CACHE_DAMAGED ? "" : path);
}

static struct cache_answer folder_get(struct cache_backend *backend, const struct cache_key *key,
                                      struct cache_entry *out)
{
    struct arena arena = {0};
    struct folder *folder = folder_of(backend);
    struct cache_answer answer = get_from(folder, path_of(&arena, folder, key), key, out);
    arena_free(&arena);
    return answer;
}

static void folder_drop(struct cache_backend *backend, const struct cache_key *key)
{
    struct arena arena = {0};
    const struct folder *folder = folder_of(backend);
    struct fs *fs = fs_plain(folder->env->fs);
    (void)fs->ops->remove(fs, path_of(&arena, folder, key));
    arena_free(&arena);
}

/* Makes the cache: its folder has the permissions that the user gives to folders. */
static int make_place(const struct folder *folder, struct arena *arena)
{
    struct fs *fs = fs_plain(folder->env->fs);
    const struct fs_segment text = {.data = cache_tag_text, .size = sizeof cache_tag_text - 1};
    const char *tagged = arena_printf(arena, "%s/" CACHE_TAG, folder->place);
    if (fs->ops->kind(fs, tagged) != FS_ABSENT)
        return 0;
    int error = fs->ops->make_folder(fs, folder->place);
    if (error)
        return error;
    return fs_write_gather(fs, tagged,
                           &(struct fs_gather){.segments = &text, .count = 1, .as_folder = true});
}

/* All in the cache has the permissions of its folder, so that who may use that can use it, whatever
 * the umask of who added it. */
static struct cache_answer put_at(struct folder *folder, struct arena *arena, const char *path,
                                  const struct cache_entry *entry)
{
    struct fs *fs = fs_plain(folder->env->fs);
    const struct fs_segment segments[] = {{.data = entry->header, .size = sizeof entry->header},
                                          {.data = entry->stored.data, .size = entry->stored.size}};
    int error = make_place(folder, arena);
    if (error)
        return failed(path, error);
    enum fs_kind kind = fs->ops->kind(fs, path);
    if (kind != FS_ABSENT && kind != FS_FILE && kind != FS_UNREADABLE)
        return cache_answer(CACHE_FAILED, "%s: not a regular file", path);
    error = fs_write_gather(fs, path,
                            &(struct fs_gather){.segments = segments,
                                                .count = entry->stored.size ? 2 : 1,
                                                .may_be_lost = true,
                                                .as_folder = true});
    if (error)
        return failed(path, error);
    folder->has_grown = true;
    return cache_answer(CACHE_DONE, " ");
}

static struct cache_answer folder_put(struct cache_backend *backend, const struct cache_key *key,
                                      const struct cache_entry *entry)
{
    struct arena arena = {0};
    struct folder *folder = folder_of(backend);
    uint64_t max = folder->options->max_bytes;
    if (max && entry->stored.size + CACHE_HEADER_SIZE > max)
        return cache_answer(CACHE_ABSENT, " ");
    struct cache_answer answer = put_at(folder, &arena, path_of(&arena, folder, key), entry);
    arena_free(&arena);
    return answer;
}

static void keep_bound(const struct folder *folder)
{
    struct fs *fs = fs_plain(folder->env->fs);
    struct cache_listing listing;
    uint64_t max = folder->options->max_bytes;
    int error = 0;
    if (cache_list(fs, folder->place, &listing) == 0 && cache_listing_bytes(&listing) > max)
        (void)cache_trim(fs, &listing, (uint64_t)(KEPT_SHARE * (double)max), &error);
    cache_listing_free(&listing);
}

static void folder_close(struct cache_backend *backend)
{
    struct folder *folder = folder_of(backend);
    if (folder->has_grown && folder->options->max_bytes)
        keep_bound(folder);
    memory_free(folder);
}

struct cache_backend *cache_folder_new(const struct env *env, const struct cache_options *options,
                                       const char *place)
{
    static const struct cache_backend_ops ops = {folder_get, folder_put, folder_drop, folder_close};
    struct folder *folder = memory_zalloc(1, sizeof *folder);
    *folder = (struct folder){.base = {&ops}, .env = env, .options = options, .place = place};
    return &folder->base;
}

enum cache_state cache_file_check(struct fs *fs, const struct cache_file *file)
{
    static const struct cache_secret none;
    struct cache_entry entry = {.header = {0}};
    struct bytes value = {0};
    enum cache_outcome outcome = read_entry(fs, file->path, &file->key, file->size, &entry);
    bool is_whole =
        outcome == CACHE_DONE && cache_entry_take(&file->key, &none, &entry, &value) == CACHE_TAKEN;
    bytes_free(&value);
    cache_entry_free(&entry);
    return is_whole ? CACHE_WHOLE : outcome == CACHE_ABSENT ? CACHE_OLD : CACHE_CORRUPT;
}

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
