/* Paths as the system has them: where its roots are, and which names are the same. */
#ifndef CORE_SYSTEM_PATH_H
#define CORE_SYSTEM_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Drives, `\` between names beside `/`, and names without case: those of Windows. */
extern const bool system_path_has_drives;

/* Length of the drive or the share that the path begins with: `C:`, `//server/share`. 0 where there
 * are none. */
size_t system_path_drive(const char *path);

/* True for a path that does not depend on the working folder. */
bool system_path_is_absolute(const char *path);

/* Returns the working folder, with `/`; free with memory_free. NULL: it has no path. */
char *system_path_here(void);

/* Returns a path, begun at a working folder, absolute, with `/` alone and with `.` and `..`
 * resolved in its text; free with memory_free. */
char *system_path_clean(const char *working, const char *path);
/* The same from the working folder of the process, or from "/" if that has no path. */
char *system_path_absolute(const char *path);

/* Returns the absolute path of what is there, behind all links, with `/`; free with memory_free.
 * NULL: nothing is there. */
char *system_path_real(const char *path);

/* strncmp of names, which differ when files of these names may be two. */
int system_path_compare(const char *a, const char *b, size_t length);

#endif
