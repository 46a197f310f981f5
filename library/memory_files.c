#include "library/memory_files.h"

#include <errno.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"

struct memory_file {
    char *key; /* the path */
    struct bytes value;
};

/* Removed files are those of the memory: the ones below stay. */
struct memory_files {
    struct fs base;
    struct fs *below;
    struct memory_file *files; /* stb_ds map */
};

static const struct memory_file *find(const struct fs *fs, const char *path)
{
    struct memory_files *all = (struct memory_files *)(uintptr_t)fs;
    return shgetp_null(all->files, path);
}

static struct fs *below(struct fs *fs)
{
    return ((struct memory_files *)fs)->below;
}

static int files_read(struct fs *fs, const char *path, struct bytes *out)
{
    const struct memory_file *file = find(fs, path);
    if (!file)
        return below(fs)->ops->read(below(fs), path, out);
    bytes_append(out, file->value.data, file->value.size);
    return 0;
}

static int files_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    memory_files_put(fs, path, data, size);
    return 0;
}

static enum fs_kind files_kind(struct fs *fs, const char *path)
{
    return find(fs, path) ? FS_FILE : below(fs)->ops->kind(below(fs), path);
}

static int files_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    return below(fs)->ops->list(below(fs), path, visit, context);
}

static int files_remove(struct fs *fs, const char *path)
{
    struct memory_files *all = (struct memory_files *)fs;
    struct memory_file *file = shgetp_null(all->files, path);
    if (!file)
        return ENOENT;
    bytes_free(&file->value);
    shdel(all->files, path);
    return 0;
}

/* Folders are as far as there are files below them. */
static int files_make_folder(struct fs *fs, const char *path)
{
    return find(fs, path) ? ENOTDIR : 0;
}

static int files_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                           struct bytes *out)
{
    const struct memory_file *file = find(fs, path);
    if (!file)
        return below(fs)->ops->read_part(below(fs), path, offset, size, out);
    if (offset < file->value.size) {
        size_t rest = file->value.size - (size_t)offset;
        bytes_append(out, file->value.data + offset, size < rest ? size : rest);
    }
    return 0;
}

static int files_size(struct fs *fs, const char *path, uint64_t *out)
{
    const struct memory_file *file = find(fs, path);
    if (!file)
        return below(fs)->ops->size(below(fs), path, out);
    *out = file->value.size;
    return 0;
}

static const struct fs_ops ops = {
    .read = files_read,
    .write = files_write,
    .kind = files_kind,
    .list = files_list,
    .remove = files_remove,
    .make_folder = files_make_folder,
    .read_part = files_read_part,
    .size = files_size,
};

struct fs *memory_files_new(struct fs *under)
{
    struct memory_files *all = memory_zalloc(1, sizeof *all);
    all->base.ops = &ops;
    all->below = under;
    sh_new_strdup(all->files);
    return &all->base;
}

void memory_files_free(struct fs *fs)
{
    struct memory_files *all = (struct memory_files *)fs;
    for (size_t i = 0; i < shlenu(all->files); i++)
        bytes_free(&all->files[i].value);
    shfree(all->files);
    memory_free(all);
}

void memory_files_put(struct fs *fs, const char *path, const void *data, size_t size)
{
    struct memory_files *all = (struct memory_files *)fs;
    struct memory_file *file = shgetp_null(all->files, path);
    struct bytes value = {0};
    bytes_append(&value, data, size);
    if (file) {
        bytes_free(&file->value);
        file->value = value;
    } else {
        shput(all->files, path, value);
    }
}

const struct bytes *memory_files_get(struct fs *fs, const char *path)
{
    const struct memory_file *file = find(fs, path);
    return file ? &file->value : NULL;
}
