/* A file system that fails the Nth operation that reads: what it says of a disk that fails, or of
 * permissions that are missing. */
#ifndef TESTS_FAULTY_FS_H
#define TESTS_FAULTY_FS_H

#include <errno.h>
#include <string.h>

#include "common/io/fs.h"

struct faulty_fs {
    struct fs base;
    struct fs *real; /* borrowed */
    int error;
    long fails_at, done;    /* operations count from 1; 0: none fails */
    const char *fails_path; /* or this path always fails; NULL: none */
    bool failed;            /* an operation was failed */
};

static inline bool faulty_hit(struct faulty_fs *faulty, const char *path)
{
    bool hit = ++faulty->done == faulty->fails_at ||
               (faulty->fails_path && !strcmp(path, faulty->fails_path));
    faulty->failed |= hit;
    return hit;
}

static inline int faulty_read(struct fs *fs, const char *path, struct bytes *out)
{
    struct faulty_fs *faulty = (struct faulty_fs *)fs;
    return faulty_hit(faulty, path) ? faulty->error
                                    : faulty->real->ops->read(faulty->real, path, out);
}

static inline int faulty_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    struct faulty_fs *faulty = (struct faulty_fs *)fs;
    return faulty->real->ops->write(faulty->real, path, data, size);
}

static inline enum fs_kind faulty_kind(struct fs *fs, const char *path)
{
    struct faulty_fs *faulty = (struct faulty_fs *)fs;
    return faulty_hit(faulty, path) ? FS_UNREADABLE : faulty->real->ops->kind(faulty->real, path);
}

static inline int faulty_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    struct faulty_fs *faulty = (struct faulty_fs *)fs;
    return faulty_hit(faulty, path) ? faulty->error
                                    : faulty->real->ops->list(faulty->real, path, visit, context);
}

static inline int faulty_remove(struct fs *fs, const char *path)
{
    struct faulty_fs *faulty = (struct faulty_fs *)fs;
    return faulty->real->ops->remove(faulty->real, path);
}

static inline int faulty_make_folder(struct fs *fs, const char *path)
{
    struct faulty_fs *faulty = (struct faulty_fs *)fs;
    return faulty->real->ops->make_folder(faulty->real, path);
}

static inline int faulty_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                                   struct bytes *out)
{
    struct faulty_fs *faulty = (struct faulty_fs *)fs;
    return faulty_hit(faulty, path)
               ? faulty->error
               : faulty->real->ops->read_part(faulty->real, path, offset, size, out);
}

static inline int faulty_size(struct fs *fs, const char *path, uint64_t *out)
{
    struct faulty_fs *faulty = (struct faulty_fs *)fs;
    return faulty_hit(faulty, path) ? faulty->error
                                    : faulty->real->ops->size(faulty->real, path, out);
}

static inline struct faulty_fs faulty_fs(struct fs *real, int error)
{
    static const struct fs_ops ops = {.read = faulty_read,
                                      .write = faulty_write,
                                      .kind = faulty_kind,
                                      .list = faulty_list,
                                      .remove = faulty_remove,
                                      .make_folder = faulty_make_folder,
                                      .read_part = faulty_read_part,
                                      .size = faulty_size};
    return (struct faulty_fs){.base = {&ops}, .real = real, .error = error};
}

#endif
