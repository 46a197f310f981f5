#include "common/io/fs_gather.h"

#include <errno.h>
#include <string.h>

#include "common/core/strings.h"
#include "common/diag/diag.h"
#include "common/io/fs.h"

struct fs_source *fs_source_open(struct fs *fs, const char *path)
{
    return fs->ops->open_source ? fs->ops->open_source(fs, path) : NULL;
}

struct fs_draft *fs_draft_new(struct fs *fs, const char *path, const struct fs_source *source)
{
    return fs->ops->new_draft ? fs->ops->new_draft(fs, path, source) : NULL;
}

static int gather(const struct fs_pieces *pieces, const struct fs_piece *piece, struct bytes *out)
{
    if (piece->data) {
        bytes_append(out, piece->data, piece->size);
        return 0;
    }
    return fs_source_read(pieces->source, piece->offset, piece->size,
                          bytes_extend(out, piece->size));
}

int fs_gather_pieces(const struct fs_pieces *pieces, struct bytes *out)
{
    size_t before = out->size, total = 0;
    int error = 0;
    for (size_t i = 0; i < pieces->count; i++)
        total += pieces->pieces[i].size;
    bytes_extend(out, total);
    out->size = before;
    for (size_t i = 0; i < pieces->count && !error; i++)
        error = gather(pieces, &pieces->pieces[i], out);
    if (error)
        out->size = before;
    return error;
}

int fs_write_pieces(struct fs *fs, const char *path, const struct fs_pieces *pieces)
{
    if (fs->ops->write_pieces)
        return fs->ops->write_pieces(fs, path, pieces);
    struct bytes all = {0};
    int error = fs_gather_pieces(pieces, &all);
    if (!error)
        error = fs->ops->write(fs, path, all.data, all.size);
    bytes_free(&all);
    return error;
}

enum status fs_store_pieces(struct fs *fs, struct diag *diag, const char *path,
                            const struct fs_pieces *pieces)
{
    const struct diag_where where = {.file = path};
    size_t size = 0;
    int error = fs_write_pieces(fs, path, pieces);
    if (!error)
        return STATUS_OK;
    for (size_t i = 0; i < pieces->count; i++)
        size += pieces->pieces[i].size;
    if (error == ESTALE)
        return diag_report(diag, DIAG_FILE_WRITE, &where,
                           "input file changed while it was read (%zu bytes)", size);
    return diag_report(diag, DIAG_FILE_WRITE, &where, "%s (%zu bytes)", str_error(error).text,
                       size);
}
