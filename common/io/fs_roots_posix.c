/* for O_PATH */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/strings.h"
#include "common/io/fs_roots.h"

int root_open(const char *path, struct fs_root *root)
{
    struct stat info;
    int opened = open(path, O_PATH | O_CLOEXEC);
    if (opened < 0)
        return errno;
    if (fstat(opened, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))) {
        root->is_file = S_ISREG(info.st_mode);
        root->folder = opened;
        return 0;
    }
    close(opened);
    return ERROR_NOT_REGULAR;
}

void root_close(struct fs_root *root)
{
    close(root->folder);
}
