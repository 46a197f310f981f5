/* mkdtemp is of POSIX. */
#define _XOPEN_SOURCE 700

#include "brushwork/shared/temporary_folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/arena.h"
#include "common/io/fs.h"

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
