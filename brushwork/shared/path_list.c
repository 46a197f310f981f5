#include "brushwork/shared/path_list.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"

/* The line without blanks around it, as a path; NULL: an empty one. */
static const char *path_in(const char *line, size_t length, const char *folder, struct arena *arena)
{
    while (length && (unsigned char)*line <= ' ') {
        line++;
        length--;
    }
    while (length && (unsigned char)line[length - 1] <= ' ')
        length--;
    if (!length)
        return NULL;
    const char *name = arena_strndup(arena, line, length);
    return *name == '/' || strcmp(folder, ".") == 0 ? name
                                                    : arena_printf(arena, "%s/%s", folder, name);
}

enum status path_list_read(const char *path, const char *kind, struct arena *arena,
                           struct diag *diag, const char ***out)
{
    struct bytes text = {0};
    const char *folder = path_folder(arena, path);
    size_t count = arrlenu(*out);
    TRY(fs_load(fs_standard(), diag, path, &text));
    for (size_t at = 0, length; at < text.size; at += length + 1) {
        const char *line = (const char *)text.data + at, *end = memchr(line, '\n', text.size - at);
        length = end ? (size_t)(end - line) : text.size - at;
        const char *found = path_in(line, length, folder, arena);
        if (found)
            arrput(*out, found);
    }
    bytes_free(&text);
    if (arrlenu(*out) > count)
        return STATUS_OK;
    (void)diag_report(diag, DIAG_USAGE, &(struct diag_where){.file = path}, "no names of %s", kind);
    return STATUS_USAGE;
}
