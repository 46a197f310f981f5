#include "vrad/files.h"

#include "common/io/fs.h"
#include "vrad/target/target.h"

const char *vrad_map_rad(const struct env *env, struct arena *arena, const char *path,
                         const char *extension)
{
    const char *rad = path_beside(arena, path, extension, ".rad");
    return env->fs->ops->kind(env->fs, rad) == FS_FILE ? rad : NULL;
}

enum status vrad_read_notes(const struct env *env, const char *path, const struct bsp *bsp,
                            struct surface_notes *out)
{
    *out = (struct surface_notes){0};
    const struct vrad_target *target = vrad_target_of(bsp->family);
    if (!target || !target->has_notes)
        return STATUS_OK;
    struct arena arena = {0};
    struct bytes text = {0};
    enum status status = STATUS_OK;
    const char *srf = path_beside(&arena, path, ".bsp", ".srf");
    if (env->fs->ops->kind(env->fs, srf) == FS_FILE) {
        status = fs_load(env->fs, env->diag, srf, &text);
        if (status == STATUS_OK)
            status =
                surface_notes_parse((const char *)text.data, text.size, srf, bsp, env->diag, out);
    }
    bytes_free(&text);
    arena_free(&arena);
    return status;
}
