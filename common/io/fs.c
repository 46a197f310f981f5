#include "common/io/fs.h"

#include <string.h>

#include "common/core/arena.h"
#include "common/core/strings.h"
#include "common/diag/diag.h"

enum status fs_load(struct fs *fs, struct diag *diag, const char *path, struct bytes *out)
{
    int error = fs->ops->read(fs, path, out);
    if (!error)
        return STATUS_OK;
    return diag_report(diag, DIAG_FILE_READ, &(struct diag_where){.file = path}, "%s",
                       str_error(error).text);
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

const char *path_of_operand(struct arena *arena, struct fs *fs, const char *operand,
                            const char *extension)
{
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
