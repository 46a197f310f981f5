/* Internal: names of temporary files, which say whose they are, so that those of processes that
 * were killed can be removed.
 *
 * FILE.brushwork-PID-SYSTEM-XXXXXX stands beside FILE. SYSTEM is a hash of what process ids depend
 * on: the kernel's boot id and their namespace, or the name of a computer with Windows. PID is
 * looked up only where it means something. */
#ifndef IO_TEMPORARY_H
#define IO_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

struct arena;

/* Returns an unused name for a temporary file beside `path` that this process makes, at random. */
char *temporary_name(struct arena *arena, const char *path);

struct temporary_owner {
    int64_t process;
    uint64_t system;
};

/* Returns false when the name, without its folder, is not one of temporary_name. */
bool temporary_parse(const char *name, struct temporary_owner *out);

/* Continues a hash (FNV-1a), which begins with TEMPORARY_HASH. */
#define TEMPORARY_HASH UINT64_C(0xcbf29ce484222325)
uint64_t temporary_hash(uint64_t hash, const void *data, size_t size);

/* Of the system: SYSTEM and PID of this process. */
uint64_t temporary_system(void);
int64_t temporary_process(void);

/* POSIX: removes temporary files of dead processes from the folder, an open descriptor: those of
 * this system whose process has ended, and those of others that are older than a day. Returns their
 * number. */
size_t temporary_remove_dead(int folder);

/* Windows: the same of a folder with this path. */
size_t temporary_remove_dead_in(const wchar_t *folder);

#endif
