#include <stddef.h>
#include <windows.h>

#include "common/core/ending.h"

enum { PATH_MAX_UNITS = 1 << 15 };

/* The path is absolute and of the form `//?/C:/...`. */
void ending_remove(const struct ending *ending)
{
    wchar_t path[PATH_MAX_UNITS];
    if (MultiByteToWideChar(CP_UTF8, 0, ending->path, -1, path, PATH_MAX_UNITS) > 0)
        (void)DeleteFileW(path);
}
