/* realpath() is in the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "common/core/system_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/memory.h"
#include "common/core/strings.h"

const bool system_path_has_drives = false;

size_t system_path_drive(const char *path)
{
    (void)path;
    return 0;
}

bool system_path_is_absolute(const char *path)
{
    return *path == '/';
}

char *system_path_here(void)
{
    char *folder = NULL;
    for (size_t size = 256;; size *= 2) {
        folder = memory_realloc(folder, size);
        if (getcwd(folder, size))
            break;
        if (errno != ERANGE) {
            memory_free(folder);
            return NULL;
        }
    }
    if (*folder == '/')
        return folder;
    memory_free(folder);
    return NULL;
}

char *system_path_real(const char *path)
{
    char *found = realpath(path, NULL), *copy = found ? str_copy(found) : NULL;
    free(found);
    return copy;
}

int system_path_compare(const char *a, const char *b, size_t length)
{
    return strncmp(a, b, length);
}
