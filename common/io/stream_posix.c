#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/fs.h"
#include "common/io/stream.h"

void stream_end_if_closed(int error)
{
    if (error != EPIPE)
        return;
    (void)signal(SIGPIPE, SIG_DFL);
    (void)raise(SIGPIPE);
}

/* A link of the system to what the process has open, and no file of a folder. */
static bool names_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0;
}

/* Nothing that can be replaced. */
static bool is_open_as_it_is(const char *path)
{
    struct fs *disk = fs_disk();
    return names_descriptor(path) || disk->ops->kind(disk, path) == FS_OTHER;
}

static FILE *open_own(const char *path, const char *mode, int flags)
{
    int file = open(path, flags | O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    FILE *stream = file >= 0 ? fdopen(file, mode) : NULL;
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

FILE *stream_append(const char *path)
{
    struct fs *disk = fs_disk();
    if (is_open_as_it_is(path))
        return fopen(path, "ae");
    bool is_there = disk->ops->kind(disk, path) != FS_ABSENT && !fs_is_link(disk, path);
    int error = is_there ? 0 : disk->ops->write(disk, path, "", 0);
    if (!error)
        return open_own(path, "a", O_APPEND);
    errno = error;
    return NULL;
}

/* A descriptor may be of a file. */
static bool begin_with(FILE *stream, const void *data, size_t size)
{
    struct stat info;
    return fstat(fileno(stream), &info) != 0 || !S_ISREG(info.st_mode) ||
           (fwrite(data, 1, size, stream) == size && fflush(stream) == 0);
}

static FILE *open_as_it_is(const char *path, const void *data, size_t size)
{
    FILE *stream = fopen(path, "we");
    if (!stream || begin_with(stream, data, size))
        return stream;
    const int error = errno;
    fclose(stream);
    errno = error;
    return NULL;
}

FILE *stream_replace(const char *path, const void *data, size_t size)
{
    struct fs *disk = fs_disk();
    if (is_open_as_it_is(path))
        return open_as_it_is(path, data, size);
    int error = disk->ops->write(disk, path, data, size);
    if (!error)
        return open_own(path, "w", 0);
    errno = error;
    return NULL;
}
