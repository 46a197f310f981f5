#include "vvis/files.h"

#include "common/core/paths.h"

static enum status report_absent(const struct env *env, const char *path)
{
    struct arena arena = {0};
    const char *lin = path_beside(&arena, path, ".prt", ".lin");
    const struct diag_where where = {.file = path};
    if (env->fs->ops->kind(env->fs, lin) == FS_FILE)
        (void)diag_report(env->diag, DIAG_NO_PORTALS, &where, "the map leaks: see %s", lin);
    else
        (void)diag_report(env->diag, DIAG_NO_PORTALS, &where,
                          "vbsp has not been run, or it found a leak");
    arena_free(&arena);
    return STATUS_FAILED;
}

enum status vvis_read_portals(const struct env *env, const char *path, struct prt *out)
{
    if (env->fs->ops->kind(env->fs, path) == FS_ABSENT)
        return report_absent(env, path);
    struct bytes text = {0};
    enum status status = fs_load(env->fs, env->diag, path, &text);
    if (status == STATUS_OK)
        status = prt_parse((const char *)text.data, text.size, path, env->diag, out);
    bytes_free(&text);
    return status;
}

enum status vvis_write_lin(const struct env *env, const char *path, const struct vec3 *points,
                           size_t count)
{
    struct bytes text = {0};
    for (size_t i = 0; i < count; i++)
        bytes_append_text(&text, "%f %f %f\n", points[i].x, points[i].y, points[i].z);
    enum status status = fs_store(env->fs, env->diag, path, text.data, text.size);
    bytes_free(&text);
    return status;
}
