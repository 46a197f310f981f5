#include "brushwork/shared/temporary_folder.h"

#include <string.h>

#include "common/core/arena.h"
#include "common/io/fs.h"
#include "common/io/temporary.h"

enum { NAME_MAX_LENGTH = 100 };

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
    (void)env->fs->ops->remove_folder(env->fs, folder);
}

int temporary_folder_put(const struct env *env, const char *folder, const char *path)
{
    struct arena arena = {0};
    const char *old = temporary_name(&arena, path);
    int error;
    if (temporary_folder_move(path, old) != 0)
        old = NULL;
    error = temporary_folder_move(folder, path);
    if (error) {
        if (old)
            (void)temporary_folder_move(old, path);
    } else if (old) {
        temporary_folder_remove(env, old);
    }
    arena_free(&arena);
    return error;
}
