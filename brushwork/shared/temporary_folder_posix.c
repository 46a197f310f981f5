/* mkdtemp is of POSIX. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "brushwork/shared/temporary_folder.h"
#include "common/core/arena.h"
#include "common/io/temporary.h"

const char *temporary_folder_make(struct arena *arena, const char *what)
{
    const char *place = getenv("TMPDIR");
    char *folder =
        arena_printf(arena, "%s/brushwork-%s-XXXXXX", place && *place ? place : "/tmp", what);
    return mkdtemp(folder);
}

const char *temporary_folder_beside(struct arena *arena, const char *path)
{
    const char *folder = temporary_name(arena, path);
    return mkdir(folder, 0777) == 0 ? folder : NULL;
}

int temporary_folder_move(const char *from, const char *to)
{
    return rename(from, to) == 0 ? 0 : errno;
}
