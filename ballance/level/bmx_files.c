/* Files of a level: as a folder that a compiler finds them in, and as a pack for the game. */
#include "ballance/level/level_maker.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/zip.h"

const char *maker_add_file(struct level_maker *maker, const char *path, struct bytes *data)
{
    struct bmx_level_file file = {.path = str_copy(path), .data = *data};
    *data = (struct bytes){0};
    arrput(maker->files->list, file);
    return file.path;
}

void bmx_level_files_free(struct bmx_level_files *files)
{
    for (size_t i = 0; i < arrlenu(files->list); i++) {
        memory_free(files->list[i].path);
        bytes_free(&files->list[i].data);
    }
    arrfree(files->list);
}

struct fs *bmx_level_files_mount(const struct bmx_level_files *files, const char *folder)
{
    struct fs *fs = fs_memory_new();
    struct arena scratch = {0};
    for (size_t i = 0; i < arrlenu(files->list); i++) {
        const struct bmx_level_file *file = &files->list[i];
        const char *path = arena_printf(&scratch, "%s/%s", folder, file->path);
        (void)fs->ops->write(fs, path, file->data.data, file->data.size); /* memory */
    }
    arena_free(&scratch);
    return fs;
}

/* Models are part of the compiled map, and the table is for converters. */
static bool is_for_game(const char *path)
{
    return str_starts_nocase(path, "textures/") || str_starts_nocase(path, "scripts/");
}

enum status bmx_level_files_pack(const struct bmx_level_files *files, const char *name,
                                 struct diag *diag, struct bytes *out)
{
    static const struct zip_packing how = {.method = ZIP_DEFLATED,
                                           .made_by = 20,
                                           .version_needed = 20,
                                           .time = 33u << 16}; /* 1980-01-01 */
    const struct diag_where where = {.file = name};
    struct zip_writer writer = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(files->list) && status == STATUS_OK; i++)
        if (is_for_game(files->list[i].path))
            status = zip_add(&writer, files->list[i].path, files->list[i].data.data,
                             files->list[i].data.size, &how, &where, diag);
    if (status == STATUS_OK)
        status = zip_finish(&writer, NULL, 0, &where, diag, out);
    zip_writer_free(&writer);
    return status;
}
