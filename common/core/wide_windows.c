#include "common/core/wide.h"

#include <errno.h>
#include <string.h>
#include <windows.h>

#include "common/core/memory.h"
#include "common/core/strings.h"

wchar_t *wide_from_utf8(const char *text)
{
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    if (length <= 0)
        return NULL;
    wchar_t *wide = memory_alloc((size_t)length * sizeof *wide);
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, length);
    return wide;
}

char *utf8_from_wide(const wchar_t *text)
{
    int length = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *out = memory_zalloc(1, (size_t)(length > 0 ? length : 1));
    if (length > 0)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, out, length, NULL, NULL);
    return out;
}

static bool starts_with(const wchar_t *text, const wchar_t *prefix)
{
    return wcsncmp(text, prefix, wcslen(prefix)) == 0;
}

char *path_from_wide(const wchar_t *path)
{
    bool is_share = starts_with(path, L"\\\\?\\UNC\\");
    if (is_share)
        path += 6;
    else if (starts_with(path, L"\\\\?\\"))
        path += 4;
    char *out = utf8_from_wide(path);
    if (is_share)
        out[0] = '\\';
    for (char *c = out; *c; c++)
        if (*c == '\\')
            *c = '/';
    return out;
}

char *path_of_handle(void *file)
{
    DWORD room = GetFinalPathNameByHandleW(file, NULL, 0, FILE_NAME_NORMALIZED);
    wchar_t *wide = room ? memory_alloc((room + 1) * sizeof *wide) : NULL;
    DWORD length = room ? GetFinalPathNameByHandleW(file, wide, room + 1, FILE_NAME_NORMALIZED) : 0;
    char *path = length && length <= room ? path_from_wide(wide) : NULL;
    memory_free(wide);
    return path;
}

/* Names of devices, also with an extension: they are not files of a folder. */
static bool is_device(const wchar_t *name, size_t length)
{
    static const wchar_t *const devices[] = {L"con", L"prn", L"aux", L"nul", L"conin$", L"conout$"};
    size_t stem = wcscspn(name, L".");
    stem = stem < length ? stem : length;
    while (stem && name[stem - 1] == ' ')
        stem--;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (wcslen(devices[i]) == stem && _wcsnicmp(name, devices[i], stem) == 0)
            return true;
    return stem == 4 && (_wcsnicmp(name, L"com", 3) == 0 || _wcsnicmp(name, L"lpt", 3) == 0) &&
           name[3] >= '1' && name[3] <= '9';
}

static bool is_allowed(const wchar_t *name, size_t length)
{
    bool is_step = (length == 1 || length == 2) && name[0] == '.' && name[length - 1] == '.';
    if (!length || is_step)
        return true;
    for (size_t i = 0; i < length; i++)
        if (name[i] < ' ' || wcschr(L"<>:\"|?*", name[i]))
            return false;
    return name[length - 1] != '.' && name[length - 1] != ' ' && !is_device(name, length);
}

/* `names` is what follows a drive or a share. */
static bool are_allowed(const wchar_t *names)
{
    while (*names) {
        size_t length = wcscspn(names, L"\\");
        if (!is_allowed(names, length))
            return false;
        names += length + (names[length] == '\\');
    }
    return true;
}

/* The path of the device NUL, alone, is the one that outputs may go to. */
static bool is_nul(const wchar_t *path)
{
    return _wcsicmp(path, L"nul") == 0 || _wcsicmp(path, L"\\\\.\\nul") == 0;
}

static wchar_t *joined(const wchar_t *prefix, const wchar_t *rest)
{
    size_t before = wcslen(prefix), size = wcslen(rest) + 1;
    wchar_t *out = memory_alloc((before + size) * sizeof *out);
    memcpy(out, prefix, before * sizeof *out);
    memcpy(out + before, rest, size * sizeof *out);
    return out;
}

/* Without names that the system would change. */
static int make_absolute(const wchar_t *path, wchar_t **out)
{
    DWORD room = GetFullPathNameW(path, 0, NULL, NULL);
    wchar_t *full = room ? memory_alloc(room * sizeof *full) : NULL;
    DWORD length = room ? GetFullPathNameW(path, room, full, NULL) : 0;
    int error = length && length < room ? 0 : ENOENT;
    if (!error && starts_with(full, L"\\\\"))
        *out = joined(L"\\\\?\\UNC\\", full + 2);
    else if (!error)
        *out = joined(L"\\\\?\\", full);
    memory_free(full);
    return error;
}

static void take_backslashes(wchar_t *path)
{
    for (wchar_t *c = path; *c; c++)
        if (*c == '/')
            *c = '\\';
}

static const wchar_t *behind_drive(const wchar_t *path)
{
    return ((path[0] | 32) >= 'a' && (path[0] | 32) <= 'z' && path[1] == ':') ? path + 2 : path;
}

int wide_path(const char *path, wchar_t **out)
{
    wchar_t *given = wide_from_utf8(path);
    *out = NULL;
    if (!given)
        return EILSEQ;
    take_backslashes(given);
    int error = 0;
    if (!*given)
        error = ENOENT;
    else if (is_nul(given))
        *out = joined(L"", L"\\\\.\\NUL");
    else if (starts_with(given, L"\\\\?\\") || starts_with(given, L"\\\\.\\"))
        *out = joined(L"", given);
    else if (!are_allowed(behind_drive(given)))
        error = ERROR_NAME;
    else
        error = make_absolute(given, out);
    memory_free(given);
    return error;
}

int windows_error(uint32_t error)
{
    static const struct {
        uint32_t error;
        int value;
    } table[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_NOT_READY, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_NET_NAME, ENOENT},
        {ERROR_INVALID_NAME, ERROR_NAME},
        {ERROR_BAD_PATHNAME, ERROR_NAME},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_PRIVILEGE_NOT_HELD, EPERM},
        {ERROR_SHARING_VIOLATION, ERROR_HELD},
        {ERROR_LOCK_VIOLATION, ERROR_HELD},
        {ERROR_USER_MAPPED_FILE, ERROR_HELD},
        {ERROR_DELETE_PENDING, ERROR_HELD},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_NOT_SAME_DEVICE, EXDEV},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {1295 /* ERROR_DISK_QUOTA_EXCEEDED */, ENOSPC},
        {ERROR_FILE_TOO_LARGE, EFBIG},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_INVALID_PARAMETER, EINVAL},
        {ERROR_INVALID_FUNCTION, ENOSYS},
        {ERROR_NOT_SUPPORTED, ENOSYS},
        {ERROR_CALL_NOT_IMPLEMENTED, ENOSYS},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_CANT_RESOLVE_FILENAME, ELOOP},
        {ERROR_TIMEOUT, ETIMEDOUT},
        {ERROR_CHILD_NOT_COMPLETE, EBUSY},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].error == error)
            return table[i].value;
    return EIO;
}

int windows_last_error(void)
{
    return windows_error(GetLastError());
}
