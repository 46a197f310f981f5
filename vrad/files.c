#include "vrad/files.h"

#include "common/bsp/engine.h"
#include "common/io/fs.h"
#include "vrad/target/target.h"

const char *vrad_map_rad(const struct env *env, struct arena *arena, const char *path,
                         const char *extension)
{
    const char *rad = path_beside(arena, path, extension, ".rad");
    enum fs_kind kind = fs_look_at(env->fs, env->diag, rad);
    return kind == FS_FILE ? rad : NULL;
}

enum status vrad_read_notes(const struct env *env, const char *path, const struct bsp *bsp,
                            struct surface_notes *out)
{
    *out = (struct surface_notes){0};
    if (!bsp->engine->has_notes)
        return STATUS_OK;
    struct arena arena = {0};
    struct bytes text = {0};
    enum status status = STATUS_OK;
    const char *srf = path_beside(&arena, path, ".bsp", ".srf");
    if (fs_load_optional(env->fs, env->diag, srf, &text))
        status = surface_notes_parse((const char *)text.data, text.size, srf, bsp, env->diag, out);
    bytes_free(&text);
    arena_free(&arena);
    return status;
}
