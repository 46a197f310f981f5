#include "common/assets/mounts/mount.h"

#include "common/core/array.h"

bool mount_has(struct mount *mount, const char *name)
{
    struct bytes data = {0};
    if (mount->ops->has)
        return mount->ops->has(mount, name);
    bool found = mount->ops->read(mount, name, &data);
    bytes_free(&data);
    return found;
}

bool mounts_read(struct mount *const *mounts, const char *name, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(mounts); i++)
        if (mounts[i]->ops->read(mounts[i], name, out))
            return true;
    return false;
}

bool mounts_read_start(struct mount *const *mounts, const char *name, size_t max, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(mounts); i++) {
        struct mount *mount = mounts[i];
        if (mount->ops->read_start ? mount->ops->read_start(mount, name, max, out)
                                   : mount->ops->read(mount, name, out))
            return true;
    }
    return false;
}

void mounts_list(struct mount *const *mounts, const char *folder, mount_visit *visit, void *context)
{
    for (size_t i = 0; i < arrlenu(mounts); i++)
        if (mounts[i]->ops->list)
            mounts[i]->ops->list(mounts[i], folder, visit, context);
}

void mounts_free(struct mount **mounts)
{
    for (size_t i = 0; i < arrlenu(mounts); i++)
        mounts[i]->ops->free(mounts[i]);
    arrfree(mounts);
}
