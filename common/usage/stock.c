#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"
#include "common/usage/usage.h"

/* Lists of programs that print archives may have more in a line: `name crc=0x...`. */
static size_t name_length(const char *line, size_t length)
{
    static const char after[] = " crc=";
    for (size_t i = 0; i + sizeof after - 1 <= length; i++)
        if (memcmp(line + i, after, sizeof after - 1) == 0)
            return i;
    return length;
}

static void add_names(struct usage_stock *stock, const struct bytes *text)
{
    struct arena arena = {0};
    const char *at = (const char *)text->data, *end = at + text->size;
    while (text->size && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        size_t length = name_length(at, (size_t)((stop ? stop : end) - at));
        while (length && (unsigned char)at[length - 1] <= ' ')
            length--;
        const char *name = asset_name(&arena, arena_strndup(&arena, at, length));
        if (name)
            shput(stock->names, name, true);
        arena_reset(&arena);
        at = next;
    }
    arena_free(&arena);
}

static enum status open_one(const struct env *env, const char *path, struct usage_stock *out)
{
    enum fs_kind kind = fs_look_at(env->fs, env->diag, path);
    if (kind == FS_DIRECTORY) {
        arrput(out->mounts, mount_folder(env->fs, path, env->diag));
        return STATUS_OK;
    }
    if (kind == FS_FILE && str_ends_nocase(path, ".vpk")) {
        struct mount *mount = mount_vpk(env->fs, path, env->diag);
        if (mount)
            arrput(out->mounts, mount);
        return mount ? STATUS_OK : STATUS_FAILED;
    }
    struct bytes text = {0};
    enum status status = fs_load(env->fs, env->diag, path, &text);
    add_names(out, &text);
    bytes_free(&text);
    return status;
}

enum status usage_stock_open(const struct env *env, const char *const *paths, size_t count,
                             struct usage_stock *out)
{
    enum status status = STATUS_OK;
    *out = (struct usage_stock){0};
    sh_new_strdup(out->names);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = open_one(env, paths[i], out);
    return status;
}

void usage_stock_free(struct usage_stock *stock)
{
    mounts_free(stock->mounts);
    shfree(stock->names);
}
