#include "common/cli/steam_roots.h"

#include <windows.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/wide.h"

enum { VALUE_LENGTH = 1024 };

static void add(struct arena *arena, const wchar_t *folder, const char ***out)
{
    char *path = path_from_wide(folder);
    arrput(*out, arena_strdup(arena, path));
    memory_free(path);
}

void steam_roots(struct arena *arena, const char ***out)
{
    static const struct {
        HKEY key;
        const wchar_t *path, *name;
    } values[] = {
        {HKEY_CURRENT_USER, L"Software\\Valve\\Steam", L"SteamPath"},
        {HKEY_LOCAL_MACHINE, L"SOFTWARE\\WOW6432Node\\Valve\\Steam", L"InstallPath"},
        {HKEY_LOCAL_MACHINE, L"SOFTWARE\\Valve\\Steam", L"InstallPath"},
    };
    wchar_t text[VALUE_LENGTH];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        DWORD size = sizeof text;
        if (RegGetValueW(values[i].key, values[i].path, values[i].name, RRF_RT_REG_SZ, NULL, text,
                         &size) == ERROR_SUCCESS)
            add(arena, text, out);
    }
    const DWORD length =
        ExpandEnvironmentStringsW(L"%ProgramFiles(x86)%\\Steam", text, VALUE_LENGTH);
    if (length && length <= VALUE_LENGTH)
        add(arena, text, out);
}
