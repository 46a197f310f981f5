#include "common/io/fs.h"

#include <string.h>

#include "common/diag/diag.h"

enum status fs_load(struct fs *fs, struct diag *diag, const char *path, struct bytes *out)
{
    int error = fs->ops->read(fs, path, out);
    if (!error)
        return STATUS_OK;
    return diag_report(diag, DIAG_FILE_READ, &(struct diag_where){.file = path}, "cannot read: %s",
                       strerror(error));
}

enum status fs_store(struct fs *fs, struct diag *diag, const char *path, const void *data,
                     size_t size)
{
    int error = fs->ops->write(fs, path, data, size);
    if (!error)
        return STATUS_OK;
    return diag_report(diag, DIAG_FILE_WRITE, &(struct diag_where){.file = path},
                       "cannot write %zu bytes: %s", size, strerror(error));
}
