#include "common/bsp/codec/part_file.h"

#include <errno.h>
#include <string.h>

#include "common/bsp/codec/codec.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/file_report.h"
#include "common/io/fs_gather.h"

enum { HEADER_MAX = 4096 };

struct bsp_part_file {
    struct fs_source *source;
    struct bytes file; /* zeros where it was not read */
    struct container container;
    uint64_t wanted;
    char *name;
};

static struct bytes sparse(size_t size)
{
    return (struct bytes){.data = memory_sparse(size), .size = size, .capacity = size};
}

/* Overlapping lumps would be read repeatedly: no valid file has them. */
static bool is_worth_while(const struct bsp_part_file *part)
{
    const struct container *container = &part->container;
    uint64_t total = 0;
    for (int lump = 0; lump < container->lump_count; lump++)
        if (part->wanted >> lump & 1)
            total += (uint64_t)container->lumps[lump].length;
    return part->wanted != UINT64_MAX && total <= container->size;
}

static bool open_container(struct bsp_part_file *part)
{
    struct bytes *file = &part->file;
    size_t header = file->size < HEADER_MAX ? file->size : HEADER_MAX;
    struct diag *quiet = diag_new(NULL, NULL);
    bool opened =
        fs_source_read(part->source, 0, header, file->data) == 0 &&
        container_open(file->data, file->size, part->name, quiet, &part->container) == STATUS_OK &&
        bsp_format_of(&part->container);
    diag_free(quiet);
    if (!opened)
        return false;
    for (int lump = 0; lump < part->container.lump_count; lump++)
        if (part->container.lumps[lump].unpacked)
            return false;
    part->wanted = codec_lumps_of_tree(&part->container);
    return is_worth_while(part);
}

struct bsp_part_file *bsp_part_open(struct fs *fs, const char *path)
{
    struct fs_source *source = fs_source_open(fs, path);
    if (!source)
        return NULL;
    struct bsp_part_file *part = memory_zalloc(1, sizeof *part);
    part->source = source;
    part->name = str_copy(path);
    if (fs_source_size(source) <= INT32_MAX) {
        part->file = sparse((size_t)fs_source_size(source));
        if (open_container(part))
            return part;
    }
    bsp_part_close(part);
    return NULL;
}

void bsp_part_close(struct bsp_part_file *part)
{
    if (!part)
        return;
    fs_source_close(part->source);
    bytes_free(&part->file);
    memory_free(part->name);
    memory_free(part);
}

struct fs_source *bsp_part_source(const struct bsp_part_file *part)
{
    return part->source;
}

uint64_t bsp_part_before_visibility(const struct bsp_part_file *part)
{
    const struct container *container = &part->container;
    const struct container_lump *lump = &container->lumps[container->kind->visibility];
    return lump->offset > 0 ? (uint64_t)lump->offset : 0;
}

static enum status report(const char *name, int error, struct diag *diag)
{
    return file_unread(diag, name, "%s",
                       error == ERROR_CHANGED ? "changed while it was read"
                                              : str_error(error).text);
}

int codec_read_lumps(struct fs_source *source, const struct container *container, uint64_t lumps,
                     struct bytes *file)
{
    int error = 0;
    for (int lump = 0; lump < container->lump_count && !error; lump++) {
        const struct container_lump *entry = &container->lumps[lump];
        if (lumps >> lump & 1 && entry->length > 0)
            error = fs_source_read(source, (uint64_t)entry->offset, (size_t)entry->length,
                                   file->data + entry->offset);
    }
    return error;
}

enum status bsp_part_decode_tree(struct bsp_part_file *part, struct diag *diag, struct bsp **out)
{
    *out = NULL;
    enum status status = STATUS_OK;
    int error = codec_read_lumps(part->source, &part->container, part->wanted, &part->file);
    if (error) {
        status = report(part->name, error, diag);
    } else {
        status = codec_decode_with_source(&part->file, part->source, false, part->name, diag, out);
        part->source = NULL;
    }
    bsp_part_close(part);
    return status;
}

enum status bsp_part_decode_rest(const char *name, struct diag *diag, struct bsp **bsp)
{
    struct bytes file = (*bsp)->layout.file;
    struct fs_source *source = (*bsp)->layout.source;
    (*bsp)->layout.file = (struct bytes){0};
    (*bsp)->layout.source = NULL;
    bsp_free(*bsp);
    *bsp = NULL;
    if (source) {
        size_t size = file.size;
        bytes_free(&file);
        int error = fs_source_read(source, 0, size, bytes_extend(&file, size));
        if (error) {
            bytes_free(&file);
            fs_source_close(source);
            return report(name, error, diag);
        }
    }
    return codec_decode_with_source(&file, source, true, name, diag, bsp);
}
