/* A mounted PK3: the files that it lists can be requested, and no more is read than is allowed. */
#include <stddef.h>
#include <stdint.h>

#include "common/assets/mounts/mount.h"
#include "common/diag/diag.h"
#include "tests/fuzz/fuzz_check.h"

struct visit {
    struct mount *mount;
    int count;
};

static void read_one(void *context, const char *name)
{
    struct visit *visit = context;
    struct bytes path = {0}, bytes = {0}, start = {0};
    if (visit->count++ < 8) {
        bytes_append_text(&path, "a/%s", name);
        bytes_u8(&path, 0);
        bool whole = visit->mount->ops->read(visit->mount, (const char *)path.data, &bytes);
        check(whole || !bytes.size);
        if (visit->mount->ops->read_start)
            check(visit->mount->ops->read_start(visit->mount, (const char *)path.data, 4, &start) ||
                  !whole || !bytes.size);
        else
            check(start.size == 0);
    }
    bytes_free(&path);
    bytes_free(&bytes);
    bytes_free(&start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same bytes as the packed files of a map. */
static void read_as_pakfile(const uint8_t *data, size_t size, struct diag *diag)
{
    struct bytes file = {0};
    bytes_append(&file, data, size);
    struct visit visit = {mount_pakfile(&file, "map.bsp", diag), 0};
    if (visit.mount) {
        read_one(&visit, "b.txt");
        read_one(&visit, "C.shader");
        read_one(&visit, "none");
        visit.mount->ops->free(visit.mount);
    }
    bytes_free(&file);
}

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
    read_as_pakfile(data, size, diag);
    fs_memory_free(fs);
    diag_free(diag);
    return 0;
}
