#include "common/io/fs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/strings.h"
#include "common/diag/diag.h"
#include "common/io/size_limit.h"

static enum status report_unread(struct diag *diag, const char *path, int error)
{
    const struct diag_where where = {.file = path};
    if (error == EFBIG)
        return diag_report(diag, DIAG_FILE_READ, &where,
                           "larger than %" PRIu64 " bytes, the most that is read of such a file",
                           size_limit_of(path));
    return diag_report(diag, DIAG_FILE_READ, &where, "%s",
                       error ? str_error(error).text : "its kind is unknown");
}

enum status fs_load(struct fs *fs, struct diag *diag, const char *path, struct bytes *out)
{
    int error = fs->ops->read(fs, path, out);
    return error ? report_unread(diag, path, error) : STATUS_OK;
}

bool fs_error_is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
}

enum fs_kind fs_look_at(struct fs *fs, struct diag *diag, const char *path)
{
    enum fs_kind kind = fs->ops->kind(fs, path);
    uint64_t size;
    if (kind != FS_UNREADABLE)
        return kind;
    (void)report_unread(diag, path, fs->ops->size(fs, path, &size));
    return kind;
}

bool fs_load_optional(struct fs *fs, struct diag *diag, const char *path, struct bytes *out)
{
    enum fs_kind kind = fs->ops->kind(fs, path);
    if (kind != FS_FILE && kind != FS_UNREADABLE)
        return false;
    int error = fs->ops->read(fs, path, out);
    if (error && !fs_error_is_absent(error))
        (void)report_unread(diag, path, error);
    return !error;
}

void fs_list_optional(struct fs *fs, struct diag *diag, const char *path, fs_visit *visit,
                      void *context)
{
    int error = fs->ops->list(fs, path, visit, context);
    if (error && !fs_error_is_absent(error))
        (void)diag_report(diag, DIAG_FOLDER_READ, &(struct diag_where){.file = path}, "%s",
                          str_error(error).text);
}

bool fs_is_link(struct fs *fs, const char *path)
{
    return fs->ops->is_link && fs->ops->is_link(fs, path);
}

enum status fs_store(struct fs *fs, struct diag *diag, const char *path, const void *data,
                     size_t size)
{
    int error = fs->ops->write(fs, path, data, size);
    if (!error)
        return STATUS_OK;
    return diag_report(diag, DIAG_FILE_WRITE, &(struct diag_where){.file = path}, "%s (%zu bytes)",
                       str_error(error).text, size);
}

enum status fs_prepare_output(struct fs *fs, struct diag *diag, const char *path)
{
    if (!path || strcmp(path, "-") == 0)
        return STATUS_OK;
    struct arena names = {0};
    int error = 0;
    if (fs->ops->kind(fs, path) == FS_ABSENT)
        error = fs->ops->make_folder(fs, path_folder(&names, path));
    if (!error && fs->ops->can_write)
        error = fs->ops->can_write(fs, path);
    arena_free(&names);
    if (!error)
        return STATUS_OK;
    return diag_report(diag, DIAG_FILE_WRITE, &(struct diag_where){.file = path}, "%s",
                       str_error(error).text);
}

/* Paths of Windows: a name with `\` that no file has is taken with `/`. */
static const char *with_slashes(struct arena *arena, struct fs *fs, const char *operand,
                                const char *extension)
{
    if (!strchr(operand, '\\') || fs->ops->kind(fs, operand) != FS_ABSENT ||
        fs->ops->kind(fs, arena_printf(arena, "%s%s", operand, extension)) != FS_ABSENT)
        return operand;
    char *path = arena_printf(arena, "%s", operand);
    for (char *c = path; *c; c++)
        if (*c == '\\')
            *c = '/';
    return path;
}

const char *path_of_operand(struct arena *arena, struct fs *fs, const char *operand,
                            const char *extension)
{
    operand = with_slashes(arena, fs, operand, extension);
    if (strcmp(operand, "-") == 0 || str_ends_nocase(operand, extension))
        return operand;
    const char *full = arena_printf(arena, "%s%s", operand, extension);
    if (fs->ops->kind(fs, full) != FS_FILE && fs->ops->kind(fs, operand) != FS_ABSENT)
        return operand;
    return full;
}

const char *path_beside(struct arena *arena, const char *path, const char *from, const char *to)
{
    size_t length = strlen(path);
    if (str_ends_nocase(path, from))
        length -= strlen(from);
    return arena_printf(arena, "%.*s%s", (int)length, path, to);
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_folder(struct arena *arena, const char *path)
{
    const char *name = path_name(path);
    if (name == path)
        return ".";
    return name == path + 1 ? "/" : arena_strndup(arena, path, (size_t)(name - path) - 1);
}
