#include "common/assets/mounts/mount.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/core/memory.h"
#include "common/core/strings.h"

struct packed {
    struct mount base;
    struct diag *diag;
    struct pakfile pakfile;
};

static bool packed_read(struct mount *mount, const char *name, struct bytes *out)
{
    const struct packed *packed = (const struct packed *)mount;
    const struct pakfile_file *file = pakfile_find(&packed->pakfile, name);
    const struct diag_where where = {.file = name};
    return file && pakfile_extract(file, &where, packed->diag, out) == STATUS_OK;
}

static void packed_free(struct mount *mount)
{
    struct packed *packed = (struct packed *)mount;
    pakfile_free(&packed->pakfile);
    memory_free(mount->path);
    memory_free(packed);
}

struct mount *mount_pakfile(const struct bytes *lump, const char *path, struct diag *diag)
{
    static const struct mount_ops ops = {packed_read, packed_free, NULL, NULL};
    const struct diag_where where = {.file = path};
    struct pakfile pakfile;
    if (pakfile_decode(lump, &where, diag, &pakfile) != STATUS_OK)
        return NULL;
    struct packed *packed = memory_zalloc(1, sizeof *packed);
    packed->base.ops = &ops;
    packed->base.path = str_copy(path);
    packed->diag = diag;
    packed->pakfile = pakfile;
    return &packed->base;
}
