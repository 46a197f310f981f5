/* Handles have 32 bits that count, so that one is a descriptor, too. */
#include "brushwork/many/server_state.h"

#include <limits.h>
#include <windows.h>

static HANDLE handle_of(int descriptor)
{
    return (HANDLE)(intptr_t)descriptor; // NOLINT(performance-no-int-to-ptr): handles are numbers
}

struct cache_shared *server_state_map(int descriptor)
{
    return MapViewOfFile(handle_of(descriptor), FILE_MAP_READ | FILE_MAP_WRITE, 0, 0,
                         sizeof(struct cache_shared));
}

struct cache_shared *server_state_new(int *descriptor)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    HANDLE section = CreateFileMappingW(INVALID_HANDLE_VALUE, &inherited, PAGE_READWRITE, 0,
                                        (DWORD)sizeof(struct cache_shared), NULL);
    const intptr_t number = (intptr_t)section;
    *descriptor = section && number <= INT_MAX ? (int)number : -1;
    if (*descriptor >= 0)
        return server_state_map(*descriptor);
    if (section)
        CloseHandle(section);
    return NULL;
}

void server_state_free(struct cache_shared *shared, int descriptor)
{
    if (shared)
        UnmapViewOfFile(shared);
    if (descriptor >= 0)
        CloseHandle(handle_of(descriptor));
}
