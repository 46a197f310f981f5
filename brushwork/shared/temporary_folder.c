/* mkdtemp is of POSIX. */
#define _XOPEN_SOURCE 700

#include "brushwork/shared/temporary_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/arena.h"
#include "common/io/fs.h"
#include "common/io/temporary.h"

enum { NAME_MAX_LENGTH = 100 };

const char *temporary_folder_make(struct arena *arena, const char *what)
{
    const char *place = getenv("TMPDIR");
    char *folder =
        arena_printf(arena, "%s/brushwork-%s-XXXXXX", place && *place ? place : "/tmp", what);
    return mkdtemp(folder);
}

const char *temporary_folder_stem(struct arena *arena, const char *folder, const char *source)
{
    const char *name = path_name(source), *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    return arena_printf(arena, "%s/%.*s", folder,
                        (int)(length < NAME_MAX_LENGTH ? length : NAME_MAX_LENGTH), name);
}

struct removing {
    const struct env *env;
    const char *folder;
};

static void remove_entry(void *context, const char *name, bool is_directory)
{
    const struct removing *removing = context;
    struct fs *fs = removing->env->fs;
    struct arena arena = {0};
    const char *path = arena_printf(&arena, "%s/%s", removing->folder, name);
    if (is_directory && !fs_is_link(fs, path))
        temporary_folder_remove(removing->env, path);
    else
        (void)fs->ops->remove(fs, path);
    arena_free(&arena);
}

void temporary_folder_remove(const struct env *env, const char *folder)
{
    struct removing removing = {env, folder};
    (void)env->fs->ops->list(env->fs, folder, remove_entry, &removing);
    (void)rmdir(folder);
}

const char *temporary_folder_beside(struct arena *arena, const char *path)
{
    const char *folder = temporary_name(arena, path);
    return mkdir(folder, 0777) == 0 ? folder : NULL;
}

int temporary_folder_put(const struct env *env, const char *folder, const char *path)
{
    struct arena arena = {0};
    const char *old = temporary_name(&arena, path);
    int error = 0;
    if (rename(path, old) != 0)
        old = NULL;
    if (rename(folder, path) != 0) {
        error = errno;
        if (old)
            (void)rename(old, path);
    } else if (old) {
        temporary_folder_remove(env, old);
    }
    arena_free(&arena);
    return error;
}
