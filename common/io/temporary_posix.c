#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/io/temporary.h"

enum { OLD_SECONDS = 24 * 60 * 60 };

uint64_t temporary_system(void)
{
    uint64_t hash = TEMPORARY_HASH;
    char boot[64];
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t count = file >= 0 ? read(file, boot, sizeof boot) : 0;
    if (file >= 0)
        close(file);
    if (count > 0)
        hash = temporary_hash(hash, boot, (size_t)count);
    struct stat ids;
    if (stat("/proc/self/ns/pid", &ids) == 0)
        hash = temporary_hash(hash, &ids.st_ino, sizeof ids.st_ino);
    return hash;
}

int64_t temporary_process(void)
{
    return (int64_t)getpid();
}

static bool is_dead(const struct temporary_owner *owner, uint64_t system, const struct stat *file)
{
    struct timespec now;
    if (owner->system == system)
        return kill((pid_t)owner->process, 0) != 0 && errno == ESRCH;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec - file->st_mtim.tv_sec > OLD_SECONDS;
}

size_t temporary_remove_dead(int folder)
{
    size_t removed = 0;
    uint64_t system = temporary_system();
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = again >= 0 ? fdopendir(again) : NULL;
    if (!directory && again >= 0)
        close(again);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        struct temporary_owner owner;
        struct stat info;
        if (temporary_parse(entry->d_name, &owner) &&
            fstatat(again, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode) && is_dead(&owner, system, &info) &&
            unlinkat(again, entry->d_name, 0) == 0)
            removed++;
    }
    if (directory)
        closedir(directory);
    return removed;
}
