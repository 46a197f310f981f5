#include "common/cache/cache_folder.h"

#include <errno.h>

#include "common/cache/cache_entry.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs_gather.h"

/* After a removal, so that not each run that adds something has to remove something. */
#define KEPT_SHARE 0.9

/* Tells backup programs that the folder can be made again. */
const char cache_tag_text[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
                              "# Results of earlier runs of Brushwork, which can be removed.\n";

struct folder {
    struct cache_backend base;
    const struct env *env;
    const struct cache_options *options;
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
    return arena_printf(arena, "%s/%s", folder->options->place, name);
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

/* Reads the header of an entry whose file has `size` bytes. */
static enum cache_outcome read_header(struct fs *fs, const char *path, const struct cache_key *key,
                                      uint64_t size, unsigned char header[CACHE_HEADER_SIZE])
{
    struct bytes start = {0};
    uint64_t value;
    int error = fs->ops->read_part(fs, path, 0, CACHE_HEADER_SIZE, &start);
    bool is_one = !error && start.size == CACHE_HEADER_SIZE &&
                  cache_entry_open(key, start.data, &value) && size - CACHE_HEADER_SIZE == value;
    if (is_one)
        memcpy(header, start.data, CACHE_HEADER_SIZE);
    bytes_free(&start);
    if (error)
        return outcome_of(error);
    return is_one ? CACHE_DONE : CACHE_DAMAGED;
}

/* Appends the value of an entry, or leaves *out unchanged. */
static enum cache_outcome read_entry(struct fs *fs, const char *path, const struct cache_key *key,
                                     uint64_t size, struct bytes *out)
{
    unsigned char header[CACHE_HEADER_SIZE];
    enum cache_outcome outcome = read_header(fs, path, key, size, header);
    if (outcome != CACHE_DONE)
        return outcome;
    size_t before = out->size, value = (size_t)(size - CACHE_HEADER_SIZE);
    (void)bytes_extend(out, value);
    out->size = before;
    int error = fs->ops->read_part(fs, path, CACHE_HEADER_SIZE, value, out);
    if (error)
        bytes_undo(out, before);
    if (error)
        return outcome_of(error);
    size_t read = out->size - before;
    if (cache_entry_check(key, header, read ? out->data + before : NULL, read))
        return CACHE_DONE;
    bytes_undo(out, before);
    return CACHE_DAMAGED;
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

static struct cache_answer get_from(struct folder *folder, const char *path,
                                    const struct cache_key *key, struct bytes *out)
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
    bool may_be_one = size >= CACHE_HEADER_SIZE && size - CACHE_HEADER_SIZE <= cache_value_max(key);
    if (may_be_one && !fits_memory(size))
        return cache_answer(CACHE_ABSENT, " ");
    enum cache_outcome outcome = may_be_one ? read_entry(fs, path, key, size, out) : CACHE_DAMAGED;
    if (outcome == CACHE_DONE && !folder->options->read_only)
        use(fs, path);
    if (outcome == CACHE_DAMAGED && !folder->options->read_only)
        (void)fs->ops->remove(fs, path);
    return cache_answer(outcome, outcome == CACHE_DENIED ? "%s: permission denied" : "%s", path);
}

static struct cache_answer folder_get(struct cache_backend *backend, const struct cache_key *key,
                                      struct bytes *out)
{
    struct arena arena = {0};
    struct folder *folder = folder_of(backend);
    struct cache_answer answer = get_from(folder, path_of(&arena, folder, key), key, out);
    arena_free(&arena);
    return answer;
}

/* Makes the cache: its folder has the permissions that the user gives to folders. */
static int make_place(const struct folder *folder, struct arena *arena)
{
    struct fs *fs = fs_plain(folder->env->fs);
    const struct fs_segment text = {.data = cache_tag_text, .size = sizeof cache_tag_text - 1};
    const char *tagged = arena_printf(arena, "%s/" CACHE_TAG, folder->options->place);
    if (fs->ops->kind(fs, tagged) != FS_ABSENT)
        return 0;
    int error = fs->ops->make_folder(fs, folder->options->place);
    if (error)
        return error;
    return fs_write_gather(fs, tagged,
                           &(struct fs_gather){.segments = &text, .count = 1, .as_folder = true});
}

/* All in the cache has the permissions of its folder, so that who may use that can use it, whatever
 * the umask of who added it. */
static struct cache_answer put_at(struct folder *folder, struct arena *arena, const char *path,
                                  const struct cache_key *key, const struct bytes *value)
{
    struct fs *fs = fs_plain(folder->env->fs);
    unsigned char header[CACHE_HEADER_SIZE];
    const struct fs_segment segments[] = {{.data = header, .size = sizeof header},
                                          {.data = value->data, .size = value->size}};
    int error = make_place(folder, arena);
    if (error)
        return failed(path, error);
    enum fs_kind kind = fs->ops->kind(fs, path);
    if (kind != FS_ABSENT && kind != FS_FILE && kind != FS_UNREADABLE)
        return cache_answer(CACHE_FAILED, "%s: not a regular file", path);
    cache_entry_seal(key, value->data, value->size, header);
    error = fs_write_gather(fs, path,
                            &(struct fs_gather){.segments = segments,
                                                .count = value->size ? 2 : 1,
                                                .may_be_lost = true,
                                                .as_folder = true});
    if (error)
        return failed(path, error);
    folder->has_grown = true;
    return cache_answer(CACHE_DONE, " ");
}

static struct cache_answer folder_put(struct cache_backend *backend, const struct cache_key *key,
                                      const struct bytes *value)
{
    struct arena arena = {0};
    struct folder *folder = folder_of(backend);
    uint64_t max = folder->options->max_bytes;
    if (max && value->size + CACHE_HEADER_SIZE > max)
        return cache_answer(CACHE_DONE, " ");
    struct cache_answer answer = put_at(folder, &arena, path_of(&arena, folder, key), key, value);
    arena_free(&arena);
    return answer;
}

static void keep_bound(const struct folder *folder)
{
    struct fs *fs = fs_plain(folder->env->fs);
    struct cache_listing listing;
    uint64_t max = folder->options->max_bytes;
    int error = 0;
    if (cache_list(fs, folder->options->place, &listing) == 0 &&
        cache_listing_bytes(&listing) > max)
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

struct cache_backend *cache_folder_new(const struct env *env, const struct cache_options *options)
{
    static const struct cache_backend_ops ops = {folder_get, folder_put, folder_close};
    struct folder *folder = memory_zalloc(1, sizeof *folder);
    *folder = (struct folder){.base = {&ops}, .env = env, .options = options};
    return &folder->base;
}

bool cache_file_is_whole(struct fs *fs, const struct cache_file *file)
{
    struct bytes value = {0};
    bool is_whole = file->size >= CACHE_HEADER_SIZE &&
                    read_entry(fs, file->path, &file->key, file->size, &value) == CACHE_DONE;
    bytes_free(&value);
    return is_whole;
}
