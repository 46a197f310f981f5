/* A library for LD_PRELOAD: counts the calls of a program to the system by kind, and makes those of
 * one kind fail, from a first number to a last, or ends the process there.
 *
 * TORTURE_COUNTS names a file for the counts: for each kind a name of 16 bytes and a number of 8,
 * and last the calls that were met, as "met". It is mapped, so that a process that is killed leaves
 * its counts too. TORTURE_PLAN is "KIND FIRST LAST ACTION VALUE": calls FIRST to LAST of the kind,
 * from 1 on, fail with the errno VALUE (error), do half of what they were asked to (half), or raise
 * the signal VALUE before they begin (signal). Calls of the C library to itself, such as those of
 * its streams, are not seen. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KINDS(KIND)                                                                                \
    KIND(memory)                                                                                   \
    KIND(mmap)                                                                                     \
    KIND(open)                                                                                     \
    KIND(read)                                                                                     \
    KIND(write)                                                                                    \
    KIND(fsync)                                                                                    \
    KIND(rename)                                                                                   \
    KIND(link)                                                                                     \
    KIND(unlink)                                                                                   \
    KIND(stat)                                                                                     \
    KIND(close)                                                                                    \
    KIND(copy)                                                                                     \
    KIND(truncate)                                                                                 \
    KIND(chmod)                                                                                    \
    KIND(lock)                                                                                     \
    KIND(folder)                                                                                   \
    KIND(list)

#define AS_ENUM(name) KIND_##name,
#define AS_TEXT(name) #name,

enum kind { KINDS(AS_ENUM) MET, COUNTS };

static const char *const names[COUNTS] = {KINDS(AS_TEXT) "met"};

enum action { NOTHING, ERROR, HALF, SIGNAL };

struct count {
    char name[16];
    _Atomic uint64_t calls;
};

static struct count own_counts[COUNTS];
static struct count *counts = own_counts;
static bool active;
static enum kind planned;
static enum action action;
static uint64_t first, last;
static int value;

static enum action met(enum kind kind)
{
    if (!active)
        return NOTHING;
    uint64_t number = atomic_fetch_add(&counts[kind].calls, 1) + 1;
    if (action == NOTHING || kind != planned || number < first || number > last)
        return NOTHING;
    atomic_fetch_add(&counts[MET].calls, 1);
    if (action == SIGNAL)
        kill(getpid(), value);
    errno = value;
    return action == SIGNAL ? NOTHING : action;
}

static bool fails(enum kind kind)
{
    return met(kind) == ERROR;
}

/* Number of bytes to ask for, or 0 for a call that fails. */
static size_t allowed(enum kind kind, size_t size)
{
    enum action found = met(kind);
    return found == ERROR ? 0 : found == HALF && size > 1 ? size / 2 : size;
}

/* Finds the function that this one stands before; dlsym may itself allocate. */
#define REAL(name)                                                                                 \
    static __typeof__(name) *real_##name;                                                          \
    if (!real_##name)                                                                              \
    *(void **)(&real_##name) = dlsym(RTLD_NEXT, #name)

/* Memory. The C library's own names need no search, which would allocate. */

void *__libc_malloc(size_t size);                     // NOLINT(bugprone-reserved-identifier)
void *__libc_calloc(size_t count, size_t size);       // NOLINT(bugprone-reserved-identifier)
void *__libc_realloc(void *block, size_t size);       // NOLINT(bugprone-reserved-identifier)
void *__libc_memalign(size_t alignment, size_t size); // NOLINT(bugprone-reserved-identifier)

static bool has_no_memory(void)
{
    if (!fails(KIND_memory))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return has_no_memory() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return has_no_memory() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return has_no_memory() ? NULL : __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size)
{
    return has_no_memory() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return has_no_memory() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *block = has_no_memory() ? NULL : __libc_memalign(alignment, size);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    REAL(mmap);
    return fails(KIND_mmap) ? MAP_FAILED
                            : real_mmap(address, size, protection, flags, file, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int file, off64_t offset)
{
    return mmap(address, size, protection, flags, file, offset);
}

/* Opening. */

#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) {                               \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

int open(const char *path, int flags, ...)
{
    REAL(open);
    MODE_OF(flags)
    return fails(KIND_open) ? -1 : real_open(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    REAL(openat);
    MODE_OF(flags)
    return fails(KIND_open) ? -1 : real_openat(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags)
    return openat(folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen);
    return fails(KIND_open) ? NULL : real_fopen(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

long syscall(long number, ...)
{
    REAL(syscall);
    va_list rest;
    long arguments[6];
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_openat2 && fails(KIND_open))
        return -1;
    return real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                        arguments[4], arguments[5]);
}

int fcntl(int file, int command, ...)
{
    REAL(fcntl);
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (command == F_DUPFD_CLOEXEC && fails(KIND_open))
        return -1;
    return real_fcntl(file, command, argument);
}

int fcntl64(int file, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return fcntl(file, command, argument);
}

/* Reading and writing. */

ssize_t read(int file, void *data, size_t size)
{
    REAL(read);
    size_t granted = allowed(KIND_read, size);
    return size && !granted ? -1 : real_read(file, data, granted);
}

ssize_t pread(int file, void *data, size_t size, off_t offset)
{
    REAL(pread);
    size_t granted = allowed(KIND_read, size);
    return size && !granted ? -1 : real_pread(file, data, granted, offset);
}

ssize_t pread64(int file, void *data, size_t size, off64_t offset)
{
    return pread(file, data, size, offset);
}

ssize_t write(int file, const void *data, size_t size)
{
    REAL(write);
    size_t granted = allowed(KIND_write, size);
    return size && !granted ? -1 : real_write(file, data, granted);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    REAL(pwrite);
    size_t granted = allowed(KIND_write, size);
    return size && !granted ? -1 : real_pwrite(file, data, granted, offset);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset)
{
    return pwrite(file, data, size, offset);
}

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags)
{
    REAL(copy_file_range);
    size_t granted = allowed(KIND_copy, size);
    return size && !granted ? -1 : real_copy_file_range(in, from, out, to, granted, flags);
}

/* Calls that return 0 or -1. */

#define CALL(kind, name, parameters, arguments)                                                    \
    int name parameters                                                                            \
    {                                                                                              \
        REAL(name);                                                                                \
        return fails(KIND_##kind) ? -1 : real_##name arguments;                                    \
    }

CALL(fsync, fsync, (int file), (file))
CALL(fsync, fdatasync, (int file), (file))
CALL(rename, rename, (const char *from, const char *to), (from, to))
CALL(rename, renameat, (int from, const char *a, int to, const char *b), (from, a, to, b))
CALL(rename, renameat2, (int from, const char *a, int to, const char *b, unsigned flags),
     (from, a, to, b, flags))
CALL(link, linkat, (int from, const char *a, int to, const char *b, int flags),
     (from, a, to, b, flags))
CALL(unlink, unlink, (const char *path), (path))
CALL(unlink, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
CALL(stat, stat, (const char *restrict path, struct stat *restrict out), (path, out))
CALL(stat, lstat, (const char *restrict path, struct stat *restrict out), (path, out))
CALL(stat, fstat, (int file, struct stat *out), (file, out))
CALL(stat, fstatat, (int folder, const char *restrict path, struct stat *restrict out, int flags),
     (folder, path, out, flags))
CALL(truncate, ftruncate, (int file, off_t size), (file, size))
CALL(chmod, fchmod, (int file, mode_t mode), (file, mode))
CALL(lock, flock, (int file, int operation), (file, operation))
CALL(folder, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(folder, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))

/* The descriptor is closed, whatever the result says. */
int close(int file)
{
    REAL(close);
    bool fail = fails(KIND_close);
    int error = errno, result = real_close(file);
    if (fail)
        errno = error;
    return fail ? -1 : result;
}

DIR *opendir(const char *path)
{
    REAL(opendir);
    return fails(KIND_list) ? NULL : real_opendir(path);
}

DIR *fdopendir(int folder)
{
    REAL(fdopendir);
    return fails(KIND_list) ? NULL : real_fdopendir(folder);
}

struct dirent *readdir(DIR *folder)
{
    REAL(readdir);
    return fails(KIND_list) ? NULL : real_readdir(folder);
}

/* The plan. */

static void read_plan(const char *text)
{
    char kind[16], verb[16];
    unsigned long long from, to;
    if (sscanf(text, "%15s %llu %llu %15s %d", kind, &from, &to, verb, &value) != 5)
        abort();
    while (planned < MET && strcmp(names[planned], kind) != 0)
        planned++;
    if (planned == MET)
        abort();
    first = from;
    last = to;
    action = strcmp(verb, "error") == 0 ? ERROR : strcmp(verb, "half") == 0 ? HALF : SIGNAL;
}

static void map_counts(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof own_counts) != 0)
        abort();
    void *mapped = mmap(NULL, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
        abort();
    close(file);
    counts = mapped;
    for (int i = 0; i < COUNTS; i++)
        snprintf(counts[i].name, sizeof counts[i].name, "%s", names[i]);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("TORTURE_COUNTS"), *plan = getenv("TORTURE_PLAN");
    if (path)
        map_counts(path);
    if (plan)
        read_plan(plan);
    active = path || plan;
}
