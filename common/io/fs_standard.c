#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/io/fs.h"
#include "common/io/fs_gather.h"

static bool is_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

static int standard_read(struct fs *fs, const char *path, struct bytes *out)
{
    (void)fs;
    if (!is_stream(path))
        return fs_disk()->ops->read(fs_disk(), path, out);
    struct bytes all = {0};
    unsigned char block[1 << 14];
    size_t got;
    while ((got = fread(block, 1, sizeof block, stdin)))
        bytes_append(&all, block, got);
    int error = ferror(stdin) ? EIO : 0;
    if (!error)
        bytes_append(out, all.data, all.size);
    bytes_free(&all);
    return error;
}

static int standard_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    (void)fs;
    if (!is_stream(path))
        return fs_disk()->ops->write(fs_disk(), path, data, size);
    errno = 0;
    if (fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0)
        return 0;
    return errno ? errno : EIO;
}

static enum fs_kind standard_kind(struct fs *fs, const char *path)
{
    (void)fs;
    return is_stream(path) ? FS_OTHER : fs_disk()->ops->kind(fs_disk(), path);
}

static int standard_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    (void)fs;
    return fs_disk()->ops->list(fs_disk(), path, visit, context);
}

static int standard_remove(struct fs *fs, const char *path)
{
    (void)fs;
    return is_stream(path) ? EINVAL : fs_disk()->ops->remove(fs_disk(), path);
}

static int standard_make_folder(struct fs *fs, const char *path)
{
    (void)fs;
    return is_stream(path) ? EINVAL : fs_disk()->ops->make_folder(fs_disk(), path);
}

static int standard_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                              struct bytes *out)
{
    (void)fs;
    return is_stream(path) ? ESPIPE : fs_disk()->ops->read_part(fs_disk(), path, offset, size, out);
}

static int standard_size(struct fs *fs, const char *path, uint64_t *out)
{
    (void)fs;
    return is_stream(path) ? ESPIPE : fs_disk()->ops->size(fs_disk(), path, out);
}

static struct fs_source *standard_source(struct fs *fs, const char *path)
{
    (void)fs;
    return is_stream(path) ? NULL : fs_source_open(fs_disk(), path);
}

static struct fs_staged *standard_staged(struct fs *fs, const char *path,
                                         const struct fs_source *source)
{
    (void)fs;
    return is_stream(path) ? NULL : fs_staged_new(fs_disk(), path, source);
}

static int standard_gather(struct fs *fs, const char *path, const struct fs_gather *gather)
{
    if (!is_stream(path))
        return fs_write_gather(fs_disk(), path, gather);
    struct bytes all = {0};
    int error = fs_gather_append(gather, &all);
    if (!error)
        error = standard_write(fs, path, all.data, all.size);
    bytes_free(&all);
    return error;
}

static int standard_can_write(struct fs *fs, const char *path)
{
    (void)fs;
    return is_stream(path) ? 0 : fs_disk()->ops->can_write(fs_disk(), path);
}

static bool standard_is_link(struct fs *fs, const char *path)
{
    (void)fs;
    return !is_stream(path) && fs_is_link(fs_disk(), path);
}

struct fs *fs_standard(void)
{
    static const struct fs_ops ops = {
        standard_read,        standard_write,     standard_kind,   standard_list,   standard_remove,
        standard_make_folder, standard_read_part, standard_size,   standard_source, standard_staged,
        standard_gather,      standard_can_write, standard_is_link};
    static struct fs standard = {&ops};
    return &standard;
}
