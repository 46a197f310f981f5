#include <windows.h>

#include "common/core/memory.h"
#include "common/core/wide.h"
#include "common/io/temporary.h"

/* A day, in units of 100 ns. */
#define OLD (UINT64_C(24) * 60 * 60 * 10000000)

enum { NAME_UNITS = 256 };

/* The start of the system, to which ids are counted, is not known without doubt; a process with the
 * id of a dead one keeps its file until that has ended, too. */
uint64_t temporary_system(void)
{
    wchar_t name[NAME_UNITS];
    DWORD size = NAME_UNITS;
    if (!GetComputerNameExW(ComputerNamePhysicalDnsFullyQualified, name, &size))
        size = 0;
    return temporary_hash(TEMPORARY_HASH, name, size * sizeof *name);
}

int64_t temporary_process(void)
{
    return (int64_t)GetCurrentProcessId();
}

static uint64_t units(FILETIME time)
{
    return (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
}

/* A process that may not be looked at is alive. */
static bool has_ended(int64_t id)
{
    HANDLE process = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)id);
    if (!process)
        return GetLastError() == ERROR_INVALID_PARAMETER;
    bool ended = WaitForSingleObject(process, 0) == WAIT_OBJECT_0;
    CloseHandle(process);
    return ended;
}

static bool is_dead(const struct temporary_owner *owner, FILETIME written)
{
    FILETIME now;
    if (owner->system == temporary_system())
        return has_ended(owner->process);
    GetSystemTimeAsFileTime(&now);
    return units(now) > units(written) && units(now) - units(written) > OLD;
}

static wchar_t *joined(const wchar_t *folder, const wchar_t *name)
{
    size_t length = wcslen(folder), size = wcslen(name) + 1;
    wchar_t *path = memory_alloc((length + 1 + size) * sizeof *path);
    wmemcpy(path, folder, length);
    if (length && folder[length - 1] != '\\')
        path[length++] = '\\';
    wmemcpy(path + length, name, size);
    return path;
}

static bool remove_if_dead(const wchar_t *folder, const WIN32_FIND_DATAW *found)
{
    const DWORD others = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    struct temporary_owner owner;
    char *name = utf8_from_wide(found->cFileName);
    bool removed = false;
    if (!(found->dwFileAttributes & others) && temporary_parse(name, &owner) &&
        is_dead(&owner, found->ftLastWriteTime)) {
        wchar_t *path = joined(folder, found->cFileName);
        removed = DeleteFileW(path);
        memory_free(path);
    }
    memory_free(name);
    return removed;
}

size_t temporary_remove_dead_in(const wchar_t *folder)
{
    WIN32_FIND_DATAW found;
    wchar_t *pattern = joined(folder, L"*.brushwork-*");
    HANDLE search = FindFirstFileW(pattern, &found);
    size_t removed = 0;
    memory_free(pattern);
    if (search == INVALID_HANDLE_VALUE)
        return 0;
    do
        removed += remove_if_dead(folder, &found);
    while (FindNextFileW(search, &found));
    FindClose(search);
    return removed;
}
