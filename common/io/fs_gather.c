#include "common/io/fs_gather.h"

#include <errno.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/strings.h"
#include "common/diag/codes/file_access.def"
#include "common/diag/codes/file_writes.def"
#include "common/diag/diag.h"
#include "common/io/fs.h"

struct fs_source *fs_source_open(struct fs *fs, const char *path)
{
    return fs->ops->open_source ? fs->ops->open_source(fs, path) : NULL;
}

struct fs_staged *fs_staged_new(struct fs *fs, const char *path, const struct fs_source *source)
{
    return fs->ops->new_staged ? fs->ops->new_staged(fs, path, source) : NULL;
}

static int append_segment(const struct fs_gather *gather, const struct fs_segment *segment,
                          struct bytes *out)
{
    if (segment->data) {
        bytes_append(out, segment->data, segment->size);
        return 0;
    }
    return fs_source_read(gather->source, segment->offset, segment->size,
                          bytes_extend(out, segment->size));
}

int fs_gather_append(const struct fs_gather *gather, struct bytes *out)
{
    size_t before = out->size, total = 0;
    int error = 0;
    for (size_t i = 0; i < gather->count; i++)
        total += gather->segments[i].size;
    bytes_extend(out, total);
    out->size = before;
    for (size_t i = 0; i < gather->count && !error; i++)
        error = append_segment(gather, &gather->segments[i], out);
    if (error)
        bytes_undo(out, before);
    return error;
}

int fs_write_gather(struct fs *fs, const char *path, const struct fs_gather *gather)
{
    if (fs->ops->write_gather)
        return fs->ops->write_gather(fs, path, gather);
    struct bytes all = {0};
    struct arena names = {0};
    int error = fs_gather_append(gather, &all);
    if (!error && gather->as_folder)
        error = fs->ops->make_folder(fs, path_folder(&names, path));
    if (!error)
        error = fs->ops->write(fs, path, all.data, all.size);
    arena_free(&names);
    bytes_free(&all);
    return error;
}

enum status fs_store_gather(struct fs *fs, struct diag *diag, const char *path,
                            const struct fs_gather *gather)
{
    const struct diag_where where = {.file = path};
    size_t size = 0;
    int error = fs_write_gather(fs, path, gather);
    if (!error)
        return STATUS_OK;
    for (size_t i = 0; i < gather->count; i++)
        size += gather->segments[i].size;
    if (error == ERROR_CHANGED)
        return diag_report(diag, DIAG_FILE_CHANGED, &where, "nothing was written");
    return diag_report(diag, error == ERROR_HELD ? DIAG_FILE_HELD : DIAG_FILE_WRITE, &where,
                       "%s (%zu bytes)", str_error(error).text, size);
}
