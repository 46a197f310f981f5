#include <errno.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"

struct memory_file {
    char *key; /* the path */
    struct bytes value;
    int64_t modified;
};

struct memory_fs {
    struct fs base;
    struct memory_file *files; /* sorted by path */
    int64_t time;              /* number of changes so far */
};

static size_t lower_bound(const struct memory_fs *memory, const char *path)
{
    size_t low = 0, high = arrlenu(memory->files);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(memory->files[middle].key, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct memory_file *find(const struct memory_fs *memory, const char *path)
{
    size_t at = lower_bound(memory, path);
    if (at < arrlenu(memory->files) && strcmp(memory->files[at].key, path) == 0)
        return &memory->files[at];
    return NULL;
}

static enum fs_kind memory_kind(struct fs *fs, const char *path)
{
    const struct memory_fs *memory = (const struct memory_fs *)fs;
    if (find(memory, path))
        return FS_FILE;
    size_t length = strlen(path);
    for (size_t i = 0; i < arrlenu(memory->files); i++) {
        const char *key = memory->files[i].key;
        if (strncmp(key, path, length) == 0 && key[length] == '/')
            return FS_DIRECTORY;
    }
    return FS_ABSENT;
}

static int memory_read(struct fs *fs, const char *path, struct bytes *out)
{
    const struct memory_file *file = find((const struct memory_fs *)fs, path);
    if (!file)
        return memory_kind(fs, path) == FS_DIRECTORY ? EISDIR : ENOENT;
    bytes_append(out, file->value.data, file->value.size);
    return 0;
}

static int memory_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    struct memory_fs *memory = (struct memory_fs *)fs;
    struct memory_file *file = find(memory, path);
    if (!file) {
        size_t at = lower_bound(memory, path);
        struct memory_file fresh = {.key = str_copy_part(path, strlen(path))};
        arrins(memory->files, at, fresh);
        file = &memory->files[at];
    }
    file->value.size = 0;
    bytes_append(&file->value, data, size);
    file->modified = ++memory->time;
    return 0;
}

static int memory_extend(struct fs *fs, const char *path, uint64_t offset, const void *data,
                         size_t size)
{
    struct memory_fs *memory = (struct memory_fs *)fs;
    struct memory_file *file = find(memory, path);
    if (!file)
        return ENOENT;
    if (offset > file->value.size)
        return EINVAL;
    file->value.size = (size_t)offset;
    bytes_append(&file->value, data, size);
    file->modified = ++memory->time;
    return 0;
}

static int memory_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    const struct memory_fs *memory = (const struct memory_fs *)fs;
    size_t length = strlen(path);
    char *last = NULL;
    for (size_t i = 0; i < arrlenu(memory->files); i++) {
        const char *key = memory->files[i].key;
        if (strncmp(key, path, length) != 0 || key[length] != '/')
            continue;
        const char *name = key + length + 1;
        const char *slash = strchr(name, '/');
        char *entry = str_copy_part(name, slash ? (size_t)(slash - name) : strlen(name));
        if (!last || strcmp(last, entry) != 0)
            visit(context, entry, slash != NULL);
        memory_free(last);
        last = entry;
    }
    int error = last ? 0 : ENOENT;
    memory_free(last);
    return error;
}

static int memory_remove(struct fs *fs, const char *path)
{
    struct memory_fs *memory = (struct memory_fs *)fs;
    struct memory_file *file = find(memory, path);
    if (!file)
        return ENOENT;
    memory_free(file->key);
    bytes_free(&file->value);
    arrdel(memory->files, file - memory->files);
    return 0;
}

static int memory_make_folder(struct fs *fs, const char *path)
{
    const struct memory_fs *memory = (const struct memory_fs *)fs;
    size_t length = strlen(path);
    if (!length)
        return ENOENT;
    for (size_t i = 0; i < arrlenu(memory->files); i++) {
        const char *key = memory->files[i].key;
        size_t size = strlen(key);
        if (size <= length && strncmp(key, path, size) == 0 && (!path[size] || path[size] == '/'))
            return ENOTDIR;
    }
    return 0;
}

static int memory_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                            struct bytes *out)
{
    struct bytes all = {0};
    int error = memory_read(fs, path, &all);
    if (!error && offset < all.size) {
        size_t rest = all.size - (size_t)offset;
        bytes_append(out, all.data + offset, size < rest ? size : rest);
    }
    bytes_free(&all);
    return error;
}

static int memory_size(struct fs *fs, const char *path, uint64_t *out)
{
    const struct memory_file *file = find((const struct memory_fs *)fs, path);
    if (!file)
        return memory_kind(fs, path) == FS_DIRECTORY ? EISDIR : ENOENT;
    *out = file->value.size;
    return 0;
}

static int memory_info(struct fs *fs, const char *path, struct fs_info *out)
{
    const struct memory_file *file = find((const struct memory_fs *)fs, path);
    if (file)
        *out = (struct fs_info){file->value.size, file->modified};
    return file ? 0 : ENOENT;
}

static int memory_touch(struct fs *fs, const char *path)
{
    struct memory_fs *memory = (struct memory_fs *)fs;
    struct memory_file *file = find(memory, path);
    if (file)
        file->modified = ++memory->time;
    return file ? 0 : ENOENT;
}

static int memory_append(struct fs *fs, const char *path, const void *data, size_t size)
{
    struct bytes all = {0};
    int error = memory_read(fs, path, &all);
    bytes_append(&all, data, size);
    error = error && error != ENOENT ? error : memory_write(fs, path, all.data, all.size);
    bytes_free(&all);
    return error;
}

static struct fs_source *memory_source(struct fs *fs, const char *path)
{
    const struct memory_file *file = find((const struct memory_fs *)fs, path);
    return file && file->value.size ? fs_source_of_bytes(file->value.data, file->value.size) : NULL;
}

struct fs *fs_memory_new(void)
{
    static const struct fs_ops ops = {
        .read = memory_read,
        .write = memory_write,
        .extend = memory_extend,
        .append = memory_append,
        .kind = memory_kind,
        .list = memory_list,
        .remove = memory_remove,
        .make_folder = memory_make_folder,
        .read_part = memory_read_part,
        .size = memory_size,
        .open_source = memory_source,
        .info = memory_info,
        .touch = memory_touch,
    };
    struct memory_fs *memory = memory_zalloc(1, sizeof *memory);
    memory->base.ops = &ops;
    return &memory->base;
}

void fs_memory_free(struct fs *fs)
{
    struct memory_fs *memory = (struct memory_fs *)fs;
    for (size_t i = 0; i < arrlenu(memory->files); i++) {
        memory_free(memory->files[i].key);
        bytes_free(&memory->files[i].value);
    }
    arrfree(memory->files);
    memory_free(memory);
}

const struct bytes *fs_memory_file(struct fs *fs, const char *path)
{
    const struct memory_file *file = find((const struct memory_fs *)fs, path);
    return file ? &file->value : NULL;
}
