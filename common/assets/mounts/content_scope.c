#include "common/assets/mounts/content_scope.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"

static const char *const endings[] = {
    ".vmt",    ".vtf", ".mdl",   ".vvd", ".vtx", ".phy", ".vbsp", ".rad", ".pcf", ".wav", ".mp3",
    ".ogg",    ".vcd", ".vmf",   ".vmm", ".map", ".fgd", ".nut",  ".ain", ".nav", ".tga", ".png",
    ".shader", ".jpg", ".jpeg",  ".bmp", ".dds", ".pcx", ".hdr",  ".md3", ".ase", ".obj", ".mtl",
    ".skin",   ".aas", ".arena", ".srf", ".ttf", ".nmo", ".gmo",  ".lwo",
};

static bool has_step_up(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")); at += 2)
        if ((at == path || at[-1] == '/') && (!at[2] || at[2] == '/'))
            return true;
    return false;
}

bool content_scope_below(const char *folder, const char *path, const char **rest)
{
    size_t length = strlen(folder);
    bool is_here = strcmp(folder, ".") == 0;
    while (length > 1 && folder[length - 1] == '/')
        length--;
    *rest = path;
    if (is_here)
        return *path != '/' && !has_step_up(path);
    if (strncmp(folder, path, length) != 0 || path[length] != '/')
        return false;
    *rest = path + length + 1;
    return !has_step_up(*rest);
}

static bool is_content(const char *name)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends_nocase(name, endings[i]))
            return true;
    return str_starts_nocase(name, "scripts/") && str_ends_nocase(name, ".txt");
}

bool content_scope_has_file(struct mount *const *mounts, const char *path)
{
    const char *rest;
    for (size_t i = 0; i < arrlenu(mounts); i++)
        if (mounts[i]->ops->is_folder && content_scope_below(mounts[i]->path, path, &rest) &&
            is_content(rest))
            return true;
    return false;
}

bool content_scope_has_folder(struct mount *const *mounts, const char *path)
{
    const char *rest;
    for (size_t i = 0; i < arrlenu(mounts); i++)
        if (mounts[i]->ops->is_folder && (strcmp(mounts[i]->path, path) == 0 ||
                                          content_scope_below(mounts[i]->path, path, &rest)))
            return true;
    return false;
}

bool content_scope_has_range(struct mount *const *mounts, const char *path, uint64_t offset,
                             uint64_t size)
{
    for (size_t i = 0; i < arrlenu(mounts); i++)
        if (mounts[i]->ops->has_range && mounts[i]->ops->has_range(mounts[i], path, offset, size))
            return true;
    return false;
}
