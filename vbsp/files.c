#include "vbsp/files.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/paths.h"

enum status vbsp_files_find(const struct env *env, const char *operand, const char *output,
                            struct arena *arena, struct vbsp_files *out)
{
    *out = (struct vbsp_files){.source = path_of_operand(arena, env->fs, operand, ".vmf")};
    if (output)
        out->bsp = output;
    else if (strcmp(out->source, "-") == 0)
        out->bsp = "-";
    else
        out->bsp = path_beside(arena, out->source, ".vmf", ".bsp");
    if (strcmp(out->bsp, "-") == 0)
        return STATUS_OK;
    if (strcmp(out->bsp, out->source) == 0) {
        (void)diag_report(env->diag, DIAG_USAGE, NULL, "%s is the map: the BSP needs another name",
                          out->source);
        return STATUS_USAGE;
    }
    out->prt = path_beside(arena, out->bsp, ".bsp", ".prt");
    out->lin = path_beside(arena, out->bsp, ".bsp", ".lin");
    return STATUS_OK;
}

enum status vbsp_read_source(const struct env *env, const char *path, struct map_source *out)
{
    struct bytes text = {0};
    progress_begin(env->progress, "read", 0);
    enum status status = fs_load(env->fs, env->diag, path, &text);
    if (status == STATUS_OK)
        status = vmf_parse((const char *)text.data, text.size, path, env->diag, out);
    progress_end(env->progress);
    bytes_free(&text);
    return status;
}

static void lin_format(const struct vec3 *way, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(way); i++)
        bytes_append_text(out, "%f %f %f\n", way[i].x, way[i].y, way[i].z);
}

/* Writes one of the side files and removes the other. */
static enum status write_side(const struct env *env, const struct vbsp_files *files,
                              const struct vbsp_output *output)
{
    if (!files->prt)
        return STATUS_OK;
    struct bytes text = {0};
    const char *kept = files->prt, *stale = files->lin;
    if (output->leak) {
        lin_format(output->leak, &text);
        kept = files->lin;
        stale = files->prt;
    } else
        prt_format(&output->prt, &text);
    enum status status = fs_store(env->fs, env->diag, kept, text.data, text.size);
    if (status == STATUS_OK && env->fs->ops->kind(env->fs, stale) == FS_FILE) {
        int error = env->fs->ops->remove(env->fs, stale);
        if (error)
            status = diag_report(env->diag, DIAG_FILE_WRITE, &(struct diag_where){.file = stale},
                                 "cannot remove the one of an earlier run: %s", strerror(error));
    }
    bytes_free(&text);
    return status;
}

enum status vbsp_write_output(const struct env *env, const struct vbsp_files *files,
                              const struct bsp_format *format, const struct vbsp_output *output)
{
    struct bytes bytes = {0};
    enum status status = STATUS_OK;
    progress_begin(env->progress, "write", 0);
    if (output->bsp) {
        status = bsp_encode(output->bsp, format, files->bsp, env->diag, &bytes);
        if (status == STATUS_OK)
            status = fs_store(env->fs, env->diag, files->bsp, bytes.data, bytes.size);
        progress_count(env->progress, "BSP bytes", (int64_t)bytes.size);
    }
    if (status == STATUS_OK)
        status = write_side(env, files, output);
    progress_end(env->progress);
    bytes_free(&bytes);
    return status;
}
