#include <errno.h>
#include <windows.h>

#include "brushwork/shared/temporary_folder.h"
#include "common/core/arena.h"
#include "common/core/memory.h"
#include "common/core/wide.h"
#include "common/io/temporary.h"

enum { TRIES = 16 };

static int make(const char *path)
{
    wchar_t *wide;
    int error = wide_path(path, &wide);
    if (!error && !CreateDirectoryW(wide, NULL))
        error = windows_last_error();
    memory_free(wide);
    return error;
}

static const char *make_one(struct arena *arena, const char *path)
{
    int error = EEXIST;
    const char *folder = NULL;
    for (int i = 0; i < TRIES && error == EEXIST; i++) {
        folder = temporary_name(arena, path);
        error = make(folder);
    }
    errno = error;
    return error ? NULL : folder;
}

/* In the user's own folder for such, which others cannot read. */
const char *temporary_folder_make(struct arena *arena, const char *what)
{
    wchar_t place[MAX_PATH + 1];
    DWORD length = GetTempPathW(MAX_PATH + 1, place);
    if (!length || length > MAX_PATH)
        return NULL;
    char *folder = path_from_wide(place);
    const char *made = make_one(arena, arena_printf(arena, "%sbrushwork-%s", folder, what));
    memory_free(folder);
    return made;
}

const char *temporary_folder_beside(struct arena *arena, const char *path)
{
    return make_one(arena, path);
}

int temporary_folder_move(const char *from, const char *to)
{
    wchar_t *wide_from, *wide_to = NULL;
    int error = wide_path(from, &wide_from);
    if (!error)
        error = wide_path(to, &wide_to);
    if (!error && !MoveFileExW(wide_from, wide_to, 0))
        error = windows_last_error();
    memory_free(wide_from);
    memory_free(wide_to);
    return error;
}
