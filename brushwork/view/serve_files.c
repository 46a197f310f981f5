#include "brushwork/view/serve_files.h"

#include <errno.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/entropy.h"
#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/core/system_path.h"

bool serve_token(char *out, size_t digits)
{
    for (size_t i = 0; i < digits; i++) {
        unsigned char drawn;
        if (!entropy_draw(&drawn, sizeof drawn))
            return false;
        out[i] = "0123456789abcdef"[drawn & 15];
    }
    out[digits] = 0;
    return true;
}

bool serve_is_around(const char *folder, const char *file)
{
    char *outer = system_path_real(folder), *inner = system_path_real(file);
    const size_t length = outer ? strlen(outer) : 0;
    const bool is_root = length && outer[length - 1] == '/';
    bool is_around = length && inner && system_path_compare(inner, outer, length) == 0 &&
                     (is_root || inner[length] == '/');
    memory_free(outer);
    memory_free(inner);
    return is_around;
}

/* --- watching --- */

static const struct fs_info absent = {.modified = -1};

static void add_name(void *context, const char *name, bool is_directory)
{
    uint64_t *names = context;
    (void)is_directory;
    for (; *name; name++)
        *names = hash_pair(*names, (unsigned char)*name);
    *names = hash_pair(*names, 0);
}

/* Of a folder: its names as a size. */
static struct fs_info look_at(const struct env *env, const char *path)
{
    const struct fs_ops *ops = env->fs->ops;
    struct fs_info info = {0};
    int error = ops->info(env->fs, path, &info);
    if (error == EISDIR)
        error = ops->list(env->fs, path, add_name, &info.size);
    return error ? absent : info;
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
