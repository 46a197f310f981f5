#include "vrad/props/prop_files.h"

#include <stdio.h>
#include <string.h>

#include "common/bsp/lumps/pakfile.h"
#include "common/core/array.h"
#include "common/core/strings.h"

enum { NAME_ROOM = 64 };

/* Returns true if the name is that of a file of the kind, of any prop. */
static bool is_of_kind(const char *name, const struct prop_file_kind *kind)
{
    size_t length = strlen(kind->prefix), digits = 0;
    if (!str_starts_nocase(name, kind->prefix))
        return false;
    while (name[length + digits] >= '0' && name[length + digits] <= '9')
        digits++;
    return digits > 0 && str_equal_nocase(name + length + digits, kind->extension);
}

/* Returns true if any were removed. */
static bool remove_old(struct pakfile *pakfile, const struct prop_file_kind *kind)
{
    bool any = false;
    for (size_t i = arrlenu(pakfile->files); i-- > 0;) {
        if (i < arrlenu(pakfile->files) && is_of_kind(pakfile->files[i].name, kind)) {
            char name[NAME_ROOM];
            snprintf(name, sizeof name, "%s", pakfile->files[i].name);
            any |= pakfile_remove(pakfile, name);
        }
    }
    return any;
}

enum status prop_files_store(const struct env *env, const struct prop_file_kind *kind,
                             const struct prop_file *files, size_t count, struct bsp *bsp)
{
    struct pakfile pakfile;
    struct bytes packed = {0};
    TRY(pakfile_decode(&bsp->pakfile, NULL, env->diag, &pakfile));
    bool changed = remove_old(&pakfile, kind);
    for (size_t i = 0; i < count; i++) {
        char name[NAME_ROOM];
        if (!files[i].data.size)
            continue;
        snprintf(name, sizeof name, "%s%zu%s", kind->prefix, files[i].prop, kind->extension);
        pakfile_put(&pakfile, name, files[i].data.data, files[i].data.size);
        changed = true;
    }
    enum status status = STATUS_OK;
    if (changed)
        status = pakfile_encode(&pakfile, ZIP_STORED, NULL, env->diag, &packed);
    pakfile_free(&pakfile);
    if (changed && status == STATUS_OK) {
        bytes_free(&bsp->pakfile);
        bsp->pakfile = packed;
    }
    return status;
}
