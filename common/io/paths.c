#include "common/io/paths.h"

#include <string.h>

#include "common/core/strings.h"

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
