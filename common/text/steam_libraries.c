#include "common/text/steam_libraries.h"

#include <string.h>

#include "common/core/array.h"
#include "common/text/keyvalues.h"

/* Steam writes each backslash twice. */
static const char *path_of(struct arena *arena, const char *value)
{
    char *path = arena_strdup(arena, value), *out = path;
    for (const char *c = value; *c; c++) {
        if (c[0] == '\\' && c[1] == '\\')
            c++;
        *out++ = *c;
        if (*c == '\\')
            out[-1] = '/';
    }
    *out = 0;
    return path;
}

/* Folders have numbers; other keys are about Steam itself. */
static bool is_number(const char *key)
{
    return *key && !key[strspn(key, "0123456789")];
}

enum status steam_libraries_parse(const char *text, size_t size, const char *file,
                                  struct arena *arena, struct diag *diag, const char ***out)
{
    struct kv *root;
    TRY(kv_parse(text, size, file, KV_LENIENT, arena, diag, &root));
    const struct kv *list = kv_find(root, "libraryfolders");
    for (const struct kv *entry = list ? list->children : NULL; entry; entry = entry->next) {
        const char *path = entry->value ? entry->value : kv_value(entry, "path");
        if (is_number(entry->key) && path && *path)
            arrput(*out, path_of(arena, path));
    }
    return STATUS_OK;
}
