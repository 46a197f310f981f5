#include "brushwork/packing/pack_auto.h"

#include <stdlib.h>
#include <string.h>

#include "common/assets/game_program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_content.def"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"
#include "vbsp/level/game_fgd.h"

struct pack_job {
    struct archive_edit *edit;
    const struct pack_auto_options *options;
    struct pack_auto_result *out;
    struct assets *assets;
    struct usage_stock stock;
};

static const char *map_name(const struct pack_job *job)
{
    struct arena *arena = &job->out->arena;
    const char *name = job->options->map ? job->options->map : path_name(job->edit->where.file);
    size_t length = strlen(name) - (str_ends_nocase(name, ".bsp") ? strlen(".bsp") : 0);
    return arena_strlower(arena, arena_strndup(arena, name, length));
}

/* The mount borrows the lump, which stays as it is until the edit is encoded. */
static enum status mount_packed(struct pack_job *job)
{
    const struct bytes *lump = &job->edit->bsp->pakfile;
    struct mount *mount = mount_pakfile(lump, job->edit->where.file, job->edit->env->diag);
    if (!mount)
        return STATUS_FAILED;
    assets_mount_first(job->assets, mount);
    return STATUS_OK;
}

static enum status open_content(struct pack_job *job)
{
    const struct pack_auto_options *options = job->options;
    const struct standard_options *standard = options->standard;
    const struct env *env = job->edit->env;
    if (!standard->game && !arrlenu(standard->search_paths)) {
        (void)diag_report(env->diag, DIAG_USAGE, NULL,
                          "-game is required, the folder with gameinfo.txt, to know what the map "
                          "uses and what the game has");
        return STATUS_USAGE;
    }
    TRY(usage_stock_open(env, options->stock, options->stock_count, &job->stock));
    TRY(assets_open_of(env, standard, (struct assets_use){0}, &job->assets));
    return mount_packed(job);
}

static void find(struct pack_job *job)
{
    const struct standard_options *standard = job->options->standard;
    struct game_fgd fgd = {.env = job->edit->env, .assets = job->assets, .search_bin = true};
    const struct usage_options options = {.map = map_name(job),
                                          .fgd = game_fgd_get(&fgd),
                                          .stock = &job->stock,
                                          .own_paths = standard->search_paths,
                                          .own_path_count = arrlenu(standard->search_paths),
                                          .has_pakfile = true};
    usage_find(job->assets, job->edit->bsp, &job->edit->pakfile, &options, &job->out->usage);
    game_fgd_free(&fgd);
}

/* ---- what is added ---- */

struct named {
    const char *name;
    size_t file;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static enum status add_file(struct pack_job *job, size_t index)
{
    const struct usage_file *file = &job->out->usage.files[index];
    struct bytes data = {0};
    if (!assets_read_from(job->assets, (size_t)file->mount, file->name, &data))
        return STATUS_FAILED; /* reported */
    if (!data.data)           /* an empty file */
        bytes_extend(&data, 0);
    enum status status = archive_edit_put(job->edit, file->name, &data);
    job->out->sizes[index] = data.size;
    job->out->added += data.size;
    bytes_free(&data);
    return status;
}

static enum status add_all(struct pack_job *job)
{
    const struct usage *usage = &job->out->usage;
    struct named *sorted = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(usage->files); i++)
        if (usage->files[i].place == USAGE_OWN)
            arrput(sorted, ((struct named){usage->files[i].name, i}));
    if (sorted)
        qsort(sorted, arrlenu(sorted), sizeof *sorted, by_name);
    for (size_t i = 0; i < arrlenu(sorted); i++)
        if (add_file(job, sorted[i].file) != STATUS_OK)
            status = STATUS_FAILED;
    arrfree(sorted);
    return status;
}

/* ---- what is removed ---- */

/* One that the game has in other bytes is there in its place. */
static bool is_needless(const struct usage_file *file)
{
    return file->place == USAGE_PACKED && file->is_stock && !file->is_changed;
}

bool pack_auto_removes(const struct pack_auto_result *result, const char *name)
{
    return result->is_pruned && !str_starts_nocase(name, "materials/maps/");
}

static enum status remove_file(struct pack_job *job, const char *name)
{
    job->out->removed++;
    job->out->needless--;
    return archive_edit_remove(job->edit, name);
}

static enum status prune(struct pack_job *job)
{
    const struct usage *usage = &job->out->usage;
    for (size_t i = 0; i < arrlenu(usage->files) && job->out->is_pruned; i++)
        if (usage->files[i].is_copy)
            TRY(remove_file(job, usage->files[i].name));
    for (size_t i = 0; i < arrlenu(usage->unneeded); i++)
        if (pack_auto_removes(job->out, usage->unneeded[i]))
            TRY(remove_file(job, usage->unneeded[i]));
    return STATUS_OK;
}

/* ---- what is told ---- */

static void tell(struct pack_job *job)
{
    const struct usage *usage = &job->out->usage;
    struct diag *diag = job->edit->env->diag;
    struct arena scratch = {0};
    for (size_t i = 0; i < arrlenu(usage->files); i++) {
        const struct usage_file *file = &usage->files[i];
        const char *why = usage_reason(usage, i, &scratch);
        if (file->place == USAGE_MISSING)
            (void)diag_report(diag, DIAG_USAGE_MISSING, &job->edit->where, "%s: %s", file->name,
                              why);
        else if (file->is_shadowed)
            (void)diag_report(diag, DIAG_USAGE_SHADOWED, &job->edit->where, "%s (%s): %s",
                              file->name, job->out->sources[i], why);
        else if (is_needless(file) && !(job->out->is_pruned && file->is_copy))
            (void)diag_report(diag, DIAG_USAGE_UNNEEDED, &job->edit->where,
                              "%s: the game has a file of that name", file->name);
    }
    for (size_t i = 0; i < arrlenu(usage->unneeded); i++)
        if (!pack_auto_removes(job->out, usage->unneeded[i]))
            (void)diag_report(diag, DIAG_USAGE_UNNEEDED, &job->edit->where, "%s",
                              usage->unneeded[i]);
    arena_free(&scratch);
}

void pack_auto_count(struct pack_auto_result *out, const struct assets *assets)
{
    out->needless = arrlenu(out->usage.unneeded);
    for (size_t i = 0; i < arrlenu(out->usage.files); i++) {
        const struct usage_file *file = &out->usage.files[i];
        const char *source =
            file->mount < 0 ? NULL
                            : arena_strdup(&out->arena, assets_mount(assets, (size_t)file->mount));
        out->count[file->place]++;
        out->needless += is_needless(file);
        arrput(out->sizes, 0);
        arrput(out->sources, source);
    }
}

enum status pack_auto(struct archive_edit *edit, const struct pack_auto_options *options,
                      struct pack_auto_result *out)
{
    struct pack_job job = {.edit = edit, .options = options, .out = out};
    enum status status = archive_edit_need_pakfile(edit);
    if (status == STATUS_OK)
        status = open_content(&job);
    out->is_pruned = options->prune;
    if (status == STATUS_OK) {
        find(&job);
        pack_auto_count(out, job.assets);
        tell(&job);
        status = add_all(&job);
    }
    if (status == STATUS_OK)
        status = prune(&job);
    assets_free(job.assets);
    usage_stock_free(&job.stock);
    return status;
}

void pack_auto_free(struct pack_auto_result *result)
{
    usage_free(&result->usage);
    arrfree(result->sizes);
    arrfree(result->sources);
    arena_free(&result->arena);
}
