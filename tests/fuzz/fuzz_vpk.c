/* Any bytes as a VPK: files of its directory can be looked up, and read or not. */
#include <stdint.h>

#include "common/assets/mounts/mount.h"
#include "common/assets/mounts/vpk.h"
#include "common/core/array.h"
#include "common/diag/codes/vpk.def"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct vpk *vpk, struct mount *mount)
{
    for (size_t i = 0; i < arrlenu(vpk->entries) && i < 64; i++) {
        const struct vpk_entry *entry = &vpk->entries[i];
        struct bytes name = {0}, contents = {0};
        bytes_append_text(&name, "%s%s%s%s%s", entry->folder, *entry->folder ? "/" : "",
                          entry->name, *entry->extension ? "." : "", entry->extension);
        bytes_u8(&name, 0);
        (void)vpk_find(vpk, (const char *)name.data);
        if (!mount->ops->read(mount, (const char *)name.data, &contents))
            check(contents.size == 0);
        bytes_free(&name);
        bytes_free(&contents);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    struct bytes file = {0};
    struct vpk vpk;
    bytes_append(&file, data, size);
    fs->ops->write(fs, "a_dir.vpk", data, size);
    enum status status = vpk_decode(&file, NULL, diag, &vpk);
    struct mount *mount = mount_vpk(fs, "a_dir.vpk", diag);
    check((status == STATUS_OK) == (mount != NULL));
    check(diag_count_code(diag, DIAG_VPK_BROKEN) == (mount ? 0 : 2));
    check(arrlenu(vpk.entries) <= size / 18);
    if (mount) {
        look_up(&vpk, mount);
        mount->ops->free(mount);
    }
    vpk_free(&vpk);
    bytes_free(&file);
    fs_memory_free(fs);
    diag_free(diag);
    return 0;
}
