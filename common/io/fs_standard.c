#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"
#include "common/io/fs_roots.h"
#include "common/io/size_limit.h"
#include "common/io/stream.h"

struct standard {
    struct fs base;
    struct fs *disk; /* NULL: fs_disk */
};

static struct fs *disk_below(struct fs *fs)
{
    struct fs *disk = ((struct standard *)(void *)fs)->disk;
    return disk ? disk : fs_disk();
}

static bool is_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

static int standard_read(struct fs *fs, const char *path, struct bytes *out)
{
    if (!is_stream(path))
        return disk_below(fs)->ops->read(disk_below(fs), path, out);
    return stream_read(stdin, size_limit_of(path), out);
}

static int standard_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    if (!is_stream(path))
        return disk_below(fs)->ops->write(disk_below(fs), path, data, size);
    errno = 0;
    if (fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0)
        return 0;
    int error = errno ? errno : EIO;
    stream_end_if_closed(error);
    return error;
}

static enum fs_kind standard_kind(struct fs *fs, const char *path)
{
    return is_stream(path) ? FS_OTHER : disk_below(fs)->ops->kind(disk_below(fs), path);
}

static int standard_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    return disk_below(fs)->ops->list(disk_below(fs), path, visit, context);
}

static int standard_remove(struct fs *fs, const char *path)
{
    return is_stream(path) ? EINVAL : disk_below(fs)->ops->remove(disk_below(fs), path);
}

static int standard_make_folder(struct fs *fs, const char *path)
{
    return is_stream(path) ? EINVAL : disk_below(fs)->ops->make_folder(disk_below(fs), path);
}

static int standard_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                              struct bytes *out)
{
    return is_stream(path)
               ? ESPIPE
               : disk_below(fs)->ops->read_part(disk_below(fs), path, offset, size, out);
}

static int standard_size(struct fs *fs, const char *path, uint64_t *out)
{
    return is_stream(path) ? ESPIPE : disk_below(fs)->ops->size(disk_below(fs), path, out);
}

static struct fs_source *standard_source(struct fs *fs, const char *path)
{
    return is_stream(path) ? NULL : fs_source_open(disk_below(fs), path);
}

static struct fs_staged *standard_staged(struct fs *fs, const char *path,
                                         const struct fs_source *source)
{
    return is_stream(path) ? NULL : fs_staged_new(disk_below(fs), path, source);
}

static int standard_gather(struct fs *fs, const char *path, const struct fs_gather *gather)
{
    if (!is_stream(path))
        return fs_write_gather(disk_below(fs), path, gather);
    struct bytes all = {0};
    int error = fs_gather_append(gather, &all);
    if (!error)
        error = standard_write(fs, path, all.data, all.size);
    bytes_free(&all);
    return error;
}

static int standard_can_write(struct fs *fs, const char *path)
{
    return is_stream(path) ? 0 : disk_below(fs)->ops->can_write(disk_below(fs), path);
}

static bool standard_is_link(struct fs *fs, const char *path)
{
    return !is_stream(path) && fs_is_link(disk_below(fs), path);
}

static int standard_hold(struct fs *fs, const char *in, const char *out, struct fs_hold **hold)
{
    *hold = NULL;
    return is_stream(in) || is_stream(out)
               ? 0
               : disk_below(fs)->ops->hold(disk_below(fs), in, out, hold);
}

static int standard_info(struct fs *fs, const char *path, struct fs_info *out)
{
    return is_stream(path) ? ESPIPE : disk_below(fs)->ops->info(disk_below(fs), path, out);
}

static int standard_remove_folder(struct fs *fs, const char *path)
{
    return disk_below(fs)->ops->remove_folder(disk_below(fs), path);
}

static int standard_touch(struct fs *fs, const char *path)
{
    return is_stream(path) ? ESPIPE : disk_below(fs)->ops->touch(disk_below(fs), path);
}

static int standard_extend(struct fs *fs, const char *path, uint64_t offset, const void *data,
                           size_t size)
{
    return is_stream(path) ? ESPIPE
                           : disk_below(fs)->ops->extend(disk_below(fs), path, offset, data, size);
}

static int standard_append(struct fs *fs, const char *path, const void *data, size_t size)
{
    return is_stream(path) ? ESPIPE : disk_below(fs)->ops->append(disk_below(fs), path, data, size);
}

static const struct fs_ops ops = {
    .read = standard_read,
    .write = standard_write,
    .kind = standard_kind,
    .list = standard_list,
    .remove = standard_remove,
    .make_folder = standard_make_folder,
    .read_part = standard_read_part,
    .size = standard_size,
    .open_source = standard_source,
    .new_staged = standard_staged,
    .write_gather = standard_gather,
    .can_write = standard_can_write,
    .is_link = standard_is_link,
    .hold = standard_hold,
    .info = standard_info,
    .touch = standard_touch,
    .extend = standard_extend,
    .append = standard_append,
    .remove_folder = standard_remove_folder,
};

struct fs *fs_standard(void)
{
    static struct standard standard = {.base = {&ops}};
    return &standard.base;
}

struct fs *fs_standard_new(struct fs *disk)
{
    struct standard *standard = memory_zalloc(1, sizeof *standard);
    *standard = (struct standard){{&ops}, disk};
    return &standard->base;
}

void fs_standard_free(struct fs *fs)
{
    memory_free(fs);
}
