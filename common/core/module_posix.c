/* for dladdr */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/core/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/own_file.h"

/* Below the folder that has the programs, and below the one that has the shared library. */
static const char *const beside_program[] = {
    "/../lib/brushwork",
#ifdef BRUSHWORK_ARCH
    "/../lib/" BRUSHWORK_ARCH "/brushwork",
#endif
};
static const char beside_library[] = "/brushwork";

enum { PROGRAM_FOLDERS = sizeof beside_program / sizeof *beside_program };

static bool cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

static bool program_folder(char path[PATH_MAX])
{
    const char *start = own_file_at_start();
    bool is_known = realpath("/proc/self/exe", path) || (start && realpath(start, path));
    return is_known && cut_name(path);
}

/* Of the program itself when that has the code. */
static bool library_folder(char path[PATH_MAX])
{
    Dl_info info;
    if (!dladdr(beside_library, &info) || !info.dli_fname)
        return false;
    (void)snprintf(path, PATH_MAX, "%s", info.dli_fname);
    return cut_name(path);
}

/* Writes candidate number `which` of the module's path; returns false when there is none. */
static bool candidate(int which, const char *name, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    bool by_program = which < PROGRAM_FOLDERS;
    if (!(by_program ? program_folder(folder) : library_folder(folder)))
        return false;
    const char *below = by_program ? beside_program[which] : beside_library;
    return snprintf(path, PATH_MAX, "%s%s/%s.so", folder, below, name) < PATH_MAX;
}

static struct module open_module(const char *path, const char *name, uint32_t abi)
{
    struct module module = {0};
    /* Its symbols stay its own, but for those of libraries that it links with. */
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char *error = dlerror();
        (void)snprintf(module.reason, sizeof module.reason, "%s", error ? error : path);
        return module;
    }
    const struct module_export *found = dlsym(object, "brushwork_module");
    if (!found || strncmp(found->name, name, sizeof found->name) != 0)
        (void)snprintf(module.reason, sizeof module.reason, "%s is not the module %s", path, name);
    else if (found->abi != abi)
        (void)snprintf(module.reason, sizeof module.reason,
                       "%s is of another release (interface %u, not %u)", path,
                       (unsigned)found->abi, (unsigned)abi);
    else
        module.functions = found->functions;
    return module;
}

struct module module_load(const char *name, uint32_t abi)
{
    char path[PATH_MAX] = "", last[PATH_MAX] = "";
    for (int i = 0; i <= PROGRAM_FOLDERS; i++) {
        if (!candidate(i, name, path))
            continue;
        if (access(path, F_OK) == 0)
            return open_module(path, name, abi);
        if (!*last)
            memcpy(last, path, sizeof last);
    }
    struct module module = {.absent = 1};
    (void)snprintf(module.reason, sizeof module.reason, "%s.so is not installed (%s)", name, last);
    return module;
}
