/* A mounted PK3: the files that it lists can be requested, and no more is read than is allowed. */
#include <stddef.h>
#include <stdint.h>

#include "common/assets/mounts/mount.h"
#include "common/diag/diag.h"

struct visit {
    struct mount *mount;
    int count;
};

static void read_one(void *context, const char *name)
{
    struct visit *visit = context;
    struct bytes bytes = {0};
    if (visit->count++ < 8)
        (void)visit->mount->ops->read(visit->mount, name, &bytes);
    bytes_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    fs->ops->write(fs, "a.pk3", data, size);
    struct visit visit = {mount_pk3(fs, "a.pk3", diag), 0};
    if (visit.mount) {
        visit.mount->ops->list(visit.mount, "a", read_one, &visit);
        visit.mount->ops->free(visit.mount);
    }
    fs_memory_free(fs);
    diag_free(diag);
    return 0;
}
