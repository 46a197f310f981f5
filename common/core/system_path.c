#include "common/core/system_path.h"

#include <string.h>

#include "common/core/memory.h"

/* Appends the parts of a path to a clean one, of which *length bytes are used, without an ending
 * slash; `..` does not go above `root`. */
static void append_parts(char *clean, size_t *length, size_t root, const char *path)
{
    const char *separators = system_path_has_drives ? "/\\" : "/";
    while (*path) {
        size_t part = strcspn(path, separators);
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (*length > root && clean[--*length] != '/')
                continue;
        } else if (part && !(part == 1 && path[0] == '.')) {
            clean[(*length)++] = '/';
            memcpy(clean + *length, path, part);
            *length += part;
        }
        path += part + (path[part] != 0);
    }
}

char *system_path_clean(const char *working, const char *path)
{
    size_t drive = system_path_drive(path);
    const char *start = drive ? path : working;
    char *clean = memory_alloc(strlen(working) + strlen(path) + 3);
    size_t root = system_path_drive(start), length = root;
    for (size_t i = 0; i < root; i++)
        clean[i] = system_path_has_drives && start[i] == '\\' ? '/' : start[i];
    if (!drive && !system_path_is_absolute(path))
        append_parts(clean, &length, root, working + root);
    append_parts(clean, &length, root, path + drive);
    if (length == root)
        clean[length++] = '/';
    clean[length] = 0;
    return clean;
}

char *system_path_absolute(const char *path)
{
    char *here = system_path_here();
    char *clean = system_path_clean(here ? here : "/", path);
    memory_free(here);
    return clean;
}
