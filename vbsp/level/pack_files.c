#include "vbsp/level/pack_files.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/updates.def"

/* Maximum folder depth, for symbolic links that form a cycle. */
enum { DEEPEST = 32 };

struct listed {
    const char *name;
    bool is_directory;
};

struct listing {
    struct arena *arena;
    struct listed *entries; /* stb_ds array */
};

static void add_entry(void *context, const char *name, bool is_directory)
{
    struct listing *listing = context;
    struct listed entry = {arena_strdup(listing->arena, name), is_directory};
    arrput(listing->entries, entry);
}

static enum status fail(const struct compile *compile, const char *path, const char *why)
{
    return diag_report(compile->env->diag, DIAG_EMBED_FOLDER, &(struct diag_where){.file = path},
                       "%s", why);
}

static enum status embed_file(struct compile *compile, const char *path, const char *name)
{
    struct bytes data = {0};
    TRY(fs_load(compile->env->fs, compile->env->diag, path, &data));
    pakfile_put(&compile->pakfile, name, data.data, data.size);
    bytes_free(&data);
    return STATUS_OK;
}

/* `below` is the path below the embedded folder, with a trailing slash unless empty. */
static enum status embed_folder(struct compile *compile, const char *path, const char *below,
                                int depth)
{
    struct fs *fs = compile->env->fs;
    struct listing listing = {.arena = &compile->arena};
    if (depth > DEEPEST)
        return fail(compile, path, "folders are nested too deeply");
    int error = fs->ops->list(fs, path, add_entry, &listing);
    enum status status = error ? fail(compile, path, str_error(error).text) : STATUS_OK;
    for (size_t i = 0; i < arrlenu(listing.entries) && status == STATUS_OK; i++) {
        const struct listed *entry = &listing.entries[i];
        const char *inner = arena_printf(&compile->arena, "%s/%s", path, entry->name);
        const char *name = arena_printf(&compile->arena, "%s%s%s", below, entry->name,
                                        entry->is_directory ? "/" : "");
        status = entry->is_directory ? embed_folder(compile, inner, name, depth + 1)
                                     : embed_file(compile, inner, name);
    }
    arrfree(listing.entries);
    return status;
}

void pack_stale_mark(struct pakfile *pakfile)
{
    static const char text[] = "stale";
    pakfile_put(pakfile, "stale.txt", text, sizeof text - 1);
}

enum status pack_given_files(struct compile *compile)
{
    const struct vbsp_options *options = compile->options;
    if (options->old_pakfile.size) {
        struct diag_where where = {.file = compile->level->file};
        TRY(pakfile_decode(&options->old_pakfile, &where, compile->env->diag, &compile->pakfile));
        pack_stale_mark(&compile->pakfile);
    }
    if (!options->embed)
        return STATUS_OK;
    if (compile->env->fs->ops->kind(compile->env->fs, options->embed) != FS_DIRECTORY)
        return fail(compile, options->embed, "not a folder");
    size_t before = arrlenu(compile->pakfile.files);
    TRY(embed_folder(compile, options->embed, "", 0));
    progress_count(compile->env->progress, "embedded files",
                   (int64_t)(arrlenu(compile->pakfile.files) - before));
    return STATUS_OK;
}
