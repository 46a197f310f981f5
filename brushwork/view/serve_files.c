/* mkdtemp is of POSIX. */
#define _XOPEN_SOURCE 700

#include "brushwork/view/serve_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/core/array.h"

/* --- the folder --- */

const char *serve_folder_make(struct arena *arena)
{
    const char *place = getenv("TMPDIR");
    char *folder =
        arena_printf(arena, "%s/brushwork-view-XXXXXX", place && *place ? place : "/tmp");
    return mkdtemp(folder);
}

struct removing {
    const struct env *env;
    const char *folder;
};

static void remove_file(void *context, const char *name, bool is_directory)
{
    const struct removing *removing = context;
    struct arena arena = {0};
    if (!is_directory)
        (void)removing->env->fs->ops->remove(removing->env->fs,
                                             arena_printf(&arena, "%s/%s", removing->folder, name));
    arena_free(&arena);
}

void serve_folder_remove(const struct env *env, const char *folder)
{
    struct removing removing = {env, folder};
    (void)env->fs->ops->list(env->fs, folder, remove_file, &removing);
    (void)rmdir(folder);
}

bool serve_token(char *out, size_t digits)
{
    for (size_t i = 0; i < digits; i++) {
        unsigned char drawn;
        if (getrandom(&drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
            return false;
        out[i] = "0123456789abcdef"[drawn & 15];
    }
    out[digits] = 0;
    return true;
}

/* --- watching --- */

static const struct fs_info absent = {.modified = -1};

static struct fs_info look_at(const struct env *env, const char *path)
{
    struct fs_info info;
    return env->fs->ops->info(env->fs, path, &info) == 0 ? info : absent;
}

static bool is_same(struct fs_info a, struct fs_info b)
{
    return a.size == b.size && a.modified == b.modified;
}

void watch_add(struct watch *watch, const struct env *env, const char *path)
{
    for (size_t i = 0; i < arrlenu(watch->files); i++)
        if (strcmp(watch->files[i].path, path) == 0)
            return;
    struct watched file = {.path = arena_strdup(&watch->texts, path)};
    file.built = file.last = look_at(env, path);
    arrput(watch->files, file);
}

void watch_begin(struct watch *watch, const struct env *env)
{
    for (size_t i = 0; i < arrlenu(watch->files); i++)
        watch->files[i].built = watch->files[i].last = look_at(env, watch->files[i].path);
}

bool watch_has_changed(struct watch *watch, const struct env *env)
{
    bool is_other = false, is_at_rest = true;
    for (size_t i = 0; i < arrlenu(watch->files); i++) {
        struct watched *file = &watch->files[i];
        struct fs_info now = look_at(env, file->path);
        is_other |= !is_same(now, file->built);
        is_at_rest &= is_same(now, file->last) && (i > 0 || !is_same(now, absent));
        file->last = now;
    }
    return is_other && is_at_rest;
}

void watch_free(struct watch *watch)
{
    arrfree(watch->files);
    arena_free(&watch->texts);
}
