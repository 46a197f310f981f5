/* Internal: names of temporary files, which say whose they are, so that those of processes that
 * were killed can be removed.
 *
 * FILE.brushwork-PID-SYSTEM-XXXXXX stands beside FILE. SYSTEM is a hash of the kernel's boot id and
 * the namespace of process ids: PID is looked up only where it means something. */
#ifndef IO_TEMPORARY_H
#define IO_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Returns an unused name for a temporary file beside `path` that this process makes, at random. */
char *temporary_name(struct arena *arena, const char *path);

/* Removes temporary files of dead processes from the folder, an open descriptor: those of this
 * system whose process has ended, and those of others that are older than a day. Returns their
 * number. */
size_t temporary_remove_dead(int folder);

#endif
