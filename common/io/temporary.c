#include "common/io/temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/core/arena.h"
#include "common/io/fs.h"

#define MARK ".brushwork-"

enum { DRAWN = 6, SYSTEM_DIGITS = 16, OLD_SECONDS = 24 * 60 * 60, STEM_MAX = 200 };

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t system_hash(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char boot[64];
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t count = file >= 0 ? read(file, boot, sizeof boot) : 0;
    if (file >= 0)
        close(file);
    if (count > 0)
        hash = hash_bytes(hash, boot, (size_t)count);
    struct stat ids;
    if (stat("/proc/self/ns/pid", &ids) == 0)
        hash = hash_bytes(hash, &ids.st_ino, sizeof ids.st_ino);
    return hash;
}

/* Without random numbers the name depends on the time alone; a name in use is tried again. */
static void draw(char *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char drawn[DRAWN];
    struct timespec now;
    if (getrandom(drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        for (size_t i = 0; i < DRAWN; i++)
            drawn[i] = (unsigned char)(now.tv_nsec >> (i * 4));
    }
    for (size_t i = 0; i < DRAWN; i++)
        out[i] = letters[drawn[i] % (sizeof letters - 1)];
    out[DRAWN] = 0;
}

char *temporary_name(struct arena *arena, const char *path)
{
    const char *name = path_name(path);
    size_t length = strlen(name) < STEM_MAX ? strlen(name) : STEM_MAX;
    char drawn[DRAWN + 1];
    draw(drawn);
    return arena_printf(arena, "%.*s" MARK "%ld-%0*llx-%s", (int)((size_t)(name - path) + length),
                        path, (long)getpid(), SYSTEM_DIGITS, (unsigned long long)system_hash(),
                        drawn);
}

struct owner {
    long process;
    uint64_t system;
};

/* Returns false when the name is not one of temporary_name. */
static bool parse_name(const char *name, struct owner *out)
{
    const char *mark = NULL;
    for (const char *at = strstr(name, MARK); at; at = strstr(at + 1, MARK))
        mark = at;
    if (!mark || mark == name)
        return false;
    const char *digits = mark + strlen(MARK);
    char *end;
    size_t count = strspn(digits, "0123456789");
    if (!count || count > 9 || digits[count] != '-')
        return false;
    out->process = strtol(digits, &end, 10);
    const char *system = end + 1;
    if (strspn(system, "0123456789abcdef") != SYSTEM_DIGITS || system[SYSTEM_DIGITS] != '-')
        return false;
    out->system = strtoull(system, &end, 16);
    const char *drawn = end + 1;
    size_t length = strlen(drawn);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)drawn[i]))
            return false;
    return length == DRAWN && out->process > 0;
}

static bool is_dead(const struct owner *owner, uint64_t system, const struct stat *file)
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
    uint64_t system = system_hash();
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = again >= 0 ? fdopendir(again) : NULL;
    if (!directory && again >= 0)
        close(again);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        struct owner owner;
        struct stat info;
        if (parse_name(entry->d_name, &owner) &&
            fstatat(again, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode) && is_dead(&owner, system, &info) &&
            unlinkat(again, entry->d_name, 0) == 0)
            removed++;
    }
    if (directory)
        closedir(directory);
    return removed;
}
