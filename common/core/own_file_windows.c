#include "common/core/own_file.h"

#include <stddef.h>
#include <windows.h>

enum { PATH_MAX_UNITS = 1 << 15 };

const char *own_file_at_start(void)
{
    static wchar_t wide[PATH_MAX_UNITS];
    static char path[3 * PATH_MAX_UNITS];
    DWORD length = GetModuleFileNameW(NULL, wide, PATH_MAX_UNITS);
    if (!length || length == PATH_MAX_UNITS)
        return NULL;
    if (WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, sizeof path, NULL, NULL) <= 0)
        return NULL;
    for (char *c = path; *c; c++)
        if (*c == '\\')
            *c = '/';
    return path;
}
