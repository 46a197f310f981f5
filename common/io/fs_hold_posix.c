/* for flock */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/io/fs_hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/io/disk_open.h"
#include "common/io/fs.h"

enum { TRIES = 16 };

struct fs_hold {
    const struct fs *fs;
    char *path;
    int file; /* keeps the lock, and its number from being used again */
    struct stat state;
};

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* File systems without locks, and servers that want a file to be open for writing. */
static bool has_no_locks(int error)
{
    return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS || error == EINVAL ||
           error == EBADF;
}

static int lock(int file)
{
    int result;
    do
        result = flock(file, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

/* Over NFS an exclusive lock needs a file that is open for writing. */
static int lock_for_writing(const struct fs *fs, const char *path, int *file)
{
    struct stat before, now;
    int again = disk_open(fs, path, O_RDWR | O_NONBLOCK | O_NOCTTY, 0);
    if (again < 0)
        return 0;
    bool same = fstat(*file, &before) == 0 && fstat(again, &now) == 0 && is_same(&before, &now);
    int error = same ? lock(again) : EAGAIN;
    close(error ? again : *file);
    if (!error)
        *file = again;
    return has_no_locks(error) ? 0 : error;
}

/* Locks the file that the path leads to. EAGAIN: it was replaced meanwhile. */
static int open_locked(const struct fs *fs, const char *path, int *out)
{
    struct stat opened, named;
    int file = disk_open_file(fs, path, &opened);
    if (file < 0)
        return -file;
    int error = lock(file);
    if (error == EBADF)
        error = lock_for_writing(fs, path, &file);
    else if (has_no_locks(error))
        error = 0;
    if (!error)
        error = disk_stat(fs, path, &named);
    if (!error && !is_same(&opened, &named))
        error = EAGAIN;
    *out = file;
    if (error)
        close(file);
    return error;
}

int disk_hold(struct fs *fs, const char *in, const char *out, struct fs_hold **hold)
{
    struct stat of_in, of_out;
    int error = disk_stat(fs, in, &of_in), file = -1;
    *hold = NULL;
    if (!error)
        error = disk_stat(fs, out, &of_out);
    if (error)
        return fs_error_is_absent(error) ? 0 : error;
    if (!is_same(&of_in, &of_out) || !S_ISREG(of_out.st_mode))
        return 0;
    error = EAGAIN;
    for (int i = 0; i < TRIES && error == EAGAIN; i++)
        error = open_locked(fs, out, &file);
    if (!error && fstat(file, &of_out) != 0) {
        error = errno;
        close(file);
    }
    if (error)
        return error;
    *hold = memory_zalloc(1, sizeof **hold);
    **hold = (struct fs_hold){.fs = fs, .path = str_copy(out), .file = file, .state = of_out};
    return 0;
}

bool fs_hold_is(const struct fs_hold *hold, const struct stat *file)
{
    const struct timespec *before = &hold->state.st_mtim, *now = &file->st_mtim;
    return is_same(file, &hold->state) && file->st_size == hold->state.st_size &&
           now->tv_sec == before->tv_sec && now->tv_nsec == before->tv_nsec;
}

int fs_hold_check(const struct fs_hold *hold)
{
    struct stat now;
    int error = hold ? disk_stat(hold->fs, hold->path, &now) : 0;
    if (error)
        return fs_error_is_absent(error) ? ERROR_CHANGED : error;
    return !hold || fs_hold_is(hold, &now) ? 0 : ERROR_CHANGED;
}

void fs_hold_end(struct fs_hold *hold)
{
    if (!hold)
        return;
    close(hold->file);
    memory_free(hold->path);
    memory_free(hold);
}
