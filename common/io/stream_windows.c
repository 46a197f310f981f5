#include <errno.h>
#include <stdlib.h>

#include "common/core/ending.h"
#include "common/core/memory.h"
#include "common/core/status.h"
#include "common/core/wide.h"
#include "common/io/fs.h"
#include "common/io/stream.h"

void stream_end_if_closed(int error)
{
    if (error != EPIPE)
        return;
    ending_run();
    _Exit(STATUS_FAILED);
}

static FILE *open_own(const char *path, const wchar_t *mode)
{
    wchar_t *wide;
    int error = wide_path(path, &wide);
    FILE *file = error ? NULL : _wfopen(wide, mode);
    if (error)
        errno = error;
    memory_free(wide);
    return file;
}

/* A device cannot be replaced. */
static bool is_device(const char *path)
{
    struct fs *disk = fs_disk();
    return disk->ops->kind(disk, path) == FS_OTHER;
}

FILE *stream_append(const char *path)
{
    struct fs *disk = fs_disk();
    bool is_there = disk->ops->kind(disk, path) != FS_ABSENT && !fs_is_link(disk, path);
    int error = is_device(path) || is_there ? 0 : disk->ops->write(disk, path, "", 0);
    if (!error)
        return open_own(path, L"ab");
    errno = error;
    return NULL;
}

FILE *stream_replace(const char *path, const void *data, size_t size)
{
    struct fs *disk = fs_disk();
    if (is_device(path))
        return open_own(path, L"wb");
    int error = disk->ops->write(disk, path, data, size);
    if (!error)
        return open_own(path, L"r+b");
    errno = error;
    return NULL;
}
