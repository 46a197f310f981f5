#include "library/memory_files.h"

#include "common/core/memory.h"

/* Removed files are those of the memory: the ones below stay. */
struct memory_files {
    struct fs base;
    struct fs *memory, *below;
};

static struct fs *memory_of(struct fs *fs)
{
    return ((struct memory_files *)fs)->memory;
}

/* The file system that has the file. */
static struct fs *owner(struct fs *fs, const char *path)
{
    struct memory_files *all = (struct memory_files *)fs;
    return fs_memory_file(all->memory, path) ? all->memory : all->below;
}

static int files_read(struct fs *fs, const char *path, struct bytes *out)
{
    return owner(fs, path)->ops->read(owner(fs, path), path, out);
}

static int files_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    return memory_of(fs)->ops->write(memory_of(fs), path, data, size);
}

static enum fs_kind files_kind(struct fs *fs, const char *path)
{
    return owner(fs, path)->ops->kind(owner(fs, path), path);
}

static int files_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    struct fs *below = ((struct memory_files *)fs)->below;
    return below->ops->list(below, path, visit, context);
}

static int files_remove(struct fs *fs, const char *path)
{
    return memory_of(fs)->ops->remove(memory_of(fs), path);
}

static int files_make_folder(struct fs *fs, const char *path)
{
    return memory_of(fs)->ops->make_folder(memory_of(fs), path);
}

static int files_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                           struct bytes *out)
{
    return owner(fs, path)->ops->read_part(owner(fs, path), path, offset, size, out);
}

static int files_size(struct fs *fs, const char *path, uint64_t *out)
{
    return owner(fs, path)->ops->size(owner(fs, path), path, out);
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

struct fs *memory_files_new(struct fs *memory, struct fs *below)
{
    struct memory_files *all = memory_zalloc(1, sizeof *all);
    *all = (struct memory_files){.base = {&ops}, .memory = memory, .below = below};
    return &all->base;
}

void memory_files_free(struct fs *fs)
{
    memory_free(fs);
}
