#include "common/core/system_path.h"

#include <string.h>
#include <windows.h>

#include "common/core/memory.h"
#include "common/core/wide.h"

const bool system_path_has_drives = true;

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Length of `//server/share`, or 0. */
static size_t share_length(const char *path)
{
    size_t server = strcspn(path + 2, "/\\");
    if (!server || !path[2 + server])
        return 0;
    size_t share = strcspn(path + 2 + server + 1, "/\\");
    return share ? 2 + server + 1 + share : 0;
}

size_t system_path_drive(const char *path)
{
    char letter = (char)(path[0] | 32);
    if (letter >= 'a' && letter <= 'z' && path[1] == ':')
        return 2;
    return is_slash(path[0]) && is_slash(path[1]) ? share_length(path) : 0;
}

bool system_path_is_absolute(const char *path)
{
    size_t drive = system_path_drive(path);
    return drive > 2 || is_slash(path[drive]);
}

char *system_path_here(void)
{
    DWORD room = GetCurrentDirectoryW(0, NULL);
    wchar_t *folder = room ? memory_alloc(room * sizeof *folder) : NULL;
    DWORD length = room ? GetCurrentDirectoryW(room, folder) : 0;
    char *out = length && length < room ? path_from_wide(folder) : NULL;
    memory_free(folder);
    return out;
}

char *system_path_real(const char *path)
{
    wchar_t *wide;
    if (wide_path(path, &wide) != 0)
        return NULL;
    HANDLE file = CreateFileW(wide, FILE_READ_ATTRIBUTES,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    memory_free(wide);
    char *real = file == INVALID_HANDLE_VALUE ? NULL : path_of_handle(file);
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return real;
}

/* Other letters than those of ASCII count as different: their case is a matter of the volume. */
static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int system_path_compare(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        int difference = lower(a[i]) - lower(b[i]);
        if (difference || !a[i])
            return difference;
    }
    return 0;
}
