#include "common/io/extract_target.h"

#include <string.h>

#include "common/core/arena.h"
#include "common/diag/codes/unpacking.def"

/* Returns the first symbolic link on the way from the folder to the file, or NULL. */
static const char *link_below(struct fs *fs, struct arena *arena, const char *folder,
                              const char *name)
{
    for (const char *end = strchr(name, '/');; end = strchr(end + 1, '/')) {
        size_t length = end ? (size_t)(end - name) : strlen(name);
        const char *path = arena_printf(arena, "%s/%.*s", folder, (int)length, name);
        if (fs_is_link(fs, path))
            return path;
        if (!end)
            return NULL;
    }
}

enum status extract_check_target(struct fs *fs, struct diag *diag, const char *folder,
                                 const char *name, bool replace)
{
    struct arena arena = {0};
    const char *link = link_below(fs, &arena, folder, name);
    const char *path = arena_printf(&arena, "%s/%s", folder, name);
    enum status status = STATUS_OK;
    if (link)
        status = diag_report(diag, DIAG_PAK_LINK, &(struct diag_where){.file = link},
                             "on the way to %s", name);
    else if (!replace && fs->ops->kind(fs, path) == FS_FILE)
        status = diag_report(diag, DIAG_PAK_TARGET, &(struct diag_where){.file = path},
                             "nothing is extracted");
    arena_free(&arena);
    return status;
}
