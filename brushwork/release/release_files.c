#include "brushwork/release/release_files.h"

#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/file_report.h"
#include "common/io/bz2.h"
#include "common/io/fs.h"
#include "common/io/zip.h"

/* A file beside the BSP, of the same name. */
struct side {
    const char *ending;
    const char *use;    /* by whom it is needed, for those who have none */
    bool in_pk3;        /* of engines that load a pack of the map; else of the others */
    bool is_downloaded; /* clients get it from the server */
};

static const struct side sides[] = {
    {".nav", "bots find their way by it", false, true},
    {".txt", "the game shows it before the map", false, false},
    {".aas", "bots find their way by it", true, false},
};

static const char *name_of(struct release *release, const char *before, const char *after)
{
    return arena_printf(&release->arena, "%s%s%s", before, release->map, after);
}

static const char *path_in(struct release *release, const char *folder, const char *name)
{
    return arena_printf(&release->arena, "%s/%s", folder, name);
}

/* --- sides --- */

/* The folder that -game names may be that of its gameinfo.txt, too. Returns NULL if there is none.
 */
static const char *find_side(struct release *release, const struct side *side)
{
    const struct env *env = release->program->env;
    struct arena *arena = &release->arena;
    const char *name = name_of(release, "", side->ending);
    const char *beside = path_in(release, path_folder(arena, release->level), name);
    const char *game = release->values->standard.game;
    if (env->fs->ops->kind(env->fs, beside) == FS_FILE)
        return beside;
    if (!game)
        return NULL;
    game = disk_path_clean(arena, game);
    if (env->fs->ops->kind(env->fs, game) == FS_FILE)
        game = disk_path_parent(arena, game);
    return disk_path_find(env->fs, env->diag, arena, game, path_in(release, "maps", name));
}

static void add_record(struct release *release, const char *name, const char *note,
                       const struct bytes *data)
{
    struct release_file file = {.name = name, .bytes = data->size, .note = note};
    unsigned char hash[SHA256_SIZE];
    sha256_of(data->data, data->size, hash);
    sha256_text(hash, file.sha256);
    arrput(release->files, file);
}

static enum status put(struct release *release, const char *name, const char *note,
                       const struct bytes *data)
{
    const struct env *env = release->program->env;
    const char *path = path_in(release, release->folder, name);
    TRY(env_go_on(env));
    TRY(fs_prepare_output(env->fs, env->diag, path));
    TRY(fs_store(env->fs, env->diag, path, data->data, data->size));
    add_record(release, name, note, data);
    return STATUS_OK;
}

static enum status take_side(struct release *release, const struct side *side, const char *path)
{
    const struct env *env = release->program->env;
    const char *name = name_of(release, "maps/", side->ending);
    struct bytes data = {0};
    enum status status = fs_load(env->fs, env->diag, path, &data);
    if (status == STATUS_OK && side->in_pk3)
        status = fs_store(env->fs, env->diag, path_in(release, release->content, name), data.data,
                          data.size);
    else if (status == STATUS_OK)
        status = put(release, name, side->use, &data);
    bytes_free(&data);
    return status;
}

enum status release_files_find(struct release *release)
{
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const struct side *side = &sides[i];
        if (side->in_pk3 != release->in_pk3)
            continue;
        const char *path = find_side(release, side);
        if (path)
            TRY(take_side(release, side, path));
        else
            arrput(release->needs,
                   ((struct release_need){RELEASE_ABSENT, name_of(release, "maps/", side->ending),
                                          side->use}));
    }
    return STATUS_OK;
}

/* --- files that are made of others --- */

static bool is_downloaded(const struct release_file *file)
{
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (str_ends_nocase(file->name, sides[i].ending))
            return sides[i].is_downloaded;
    return true;
}

/* For the web server of a game server. */
static enum status put_download(struct release *release, const char *name)
{
    const struct env *env = release->program->env;
    struct bytes data = {0}, packed = {0};
    enum status status =
        fs_load(env->fs, env->diag, path_in(release, release->folder, name), &data);
    const char *packed_name = arena_printf(&release->arena, "fastdl/%s.bz2", name);
    if (status == STATUS_OK && !bz2_pack(data.data, data.size, &packed))
        status = file_unwritten(env->diag, packed_name, "it cannot be compressed");
    if (status == STATUS_OK)
        status = put(release, packed_name, "for sv_downloadurl", &packed);
    bytes_free(&packed);
    bytes_free(&data);
    return status;
}

static enum status add_to_zip(struct release *release, struct zip_writer *writer, const char *name)
{
    static const struct zip_packing how = {
        .method = ZIP_DEFLATED, .made_by = 20, .version_needed = 20, .time = ZIP_FIXED_TIME};
    const struct env *env = release->program->env;
    struct bytes data = {0};
    enum status status =
        fs_load(env->fs, env->diag, path_in(release, release->folder, name), &data);
    if (status == STATUS_OK)
        status = zip_add(writer, name, data.data, data.size, &how,
                         &(struct diag_where){.file = name}, env->diag);
    bytes_free(&data);
    return status;
}

/* Of the first `count` files. */
static enum status put_zip(struct release *release, size_t count)
{
    const char *name = name_of(release, "", ".zip");
    struct zip_writer writer = {0};
    struct bytes archive = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = add_to_zip(release, &writer, release->files[i].name);
    if (status == STATUS_OK)
        status = zip_finish(&writer, "", 0, &(struct diag_where){.file = name},
                            release->program->env->diag, &archive);
    if (status == STATUS_OK)
        status =
            put(release, name, "for servers and players: into the folder of the game", &archive);
    bytes_free(&archive);
    zip_writer_free(&writer);
    return status;
}

/* Of those that are there. */
static enum status put_archives(struct release *release)
{
    const size_t count = arrlenu(release->files);
    for (size_t i = 0; i < count; i++)
        if (is_downloaded(&release->files[i]))
            TRY(put_download(release, release->files[i].name));
    return put_zip(release, count);
}

/* A file that a step has written. */
static enum status note_file(struct release *release, const char *name, const char *note)
{
    const struct env *env = release->program->env;
    struct bytes data = {0};
    TRY(fs_load(env->fs, env->diag, path_in(release, release->folder, name), &data));
    add_record(release, name, note, &data);
    bytes_free(&data);
    return STATUS_OK;
}

static int compare_names(const void *a, const void *b)
{
    const struct release_file *first = a, *second = b;
    return strcmp(first->name, second->name);
}

/* As sha256sum -c reads them. */
static enum status put_sums(struct release *release)
{
    struct bytes text = {0};
    qsort(release->files, arrlenu(release->files), sizeof *release->files, compare_names);
    for (size_t i = 0; i < arrlenu(release->files); i++)
        bytes_append_text(&text, "%s  %s\n", release->files[i].sha256, release->files[i].name);
    enum status status = put(release, RELEASE_SUMS, "for sha256sum -c", &text);
    bytes_free(&text);
    return status;
}

static enum status put_bsp(struct release *release)
{
    const struct env *env = release->program->env;
    struct bytes bsp = {0};
    enum status status = fs_load(env->fs, env->diag, release->bsp, &bsp);
    if (status == STATUS_OK)
        status = put(release, name_of(release, "maps/", ".bsp"), "the map", &bsp);
    bytes_free(&bsp);
    return status;
}

enum status release_files_make(struct release *release)
{
    TRY(put_bsp(release));
    if (release->in_pk3)
        TRY(note_file(release, name_of(release, "", ".pk3"),
                      "for servers and players: into the folder of the game"));
    else
        TRY(put_archives(release));
    TRY(note_file(release, name_of(release, "", "_report.html"), "a page for those who review it"));
    return put_sums(release);
}
