#include <errno.h>

#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/core/wide.h"
#include "common/io/disk_windows.h"
#include "common/io/fs.h"
#include "common/io/fs_roots.h"

int root_open(const char *path, struct fs_root *root)
{
    struct disk_info info;
    HANDLE file;
    int error = disk_open(fs_disk(), path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, &file);
    if (error)
        return error;
    error = disk_info_of(file, &info);
    if (!error && info.is_device)
        error = ERROR_NOT_REGULAR;
    root->is_file = !info.is_folder;
    root->real = error ? NULL : path_of_handle(file);
    CloseHandle(file);
    return error || root->real ? error : EIO;
}

void root_close(struct fs_root *root)
{
    memory_free(root->real);
}
