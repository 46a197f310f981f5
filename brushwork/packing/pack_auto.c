#include "brushwork/packing/pack_auto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "brushwork/shared/print.h"
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

/* True for a packed file that nothing uses if it is removed. Files of the folder of cubemaps stay,
 * whichever map they are of. */
static bool pack_auto_removes(const struct pack_auto_result *result, const char *name)
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

/* In the order of the table. */
enum row_group {
    ROW_ADD,
    ROW_REMOVE,
    ROW_EXCLUDED,
    ROW_MISSING,
    ROW_NEEDLESS,
    ROW_PACKED,
    ROW_STOCK
};

static const char *const group_names[] = {"add",      "remove", "excluded", "missing",
                                          "needless", "packed", "stock"};

struct row {
    enum row_group group;
    const char *name;
    ptrdiff_t file; /* in usage.files; -1: packed, and used by nothing */
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *first = a, *second = b;
    if (first->group != second->group)
        return first->group < second->group ? -1 : 1;
    return strcmp(first->name, second->name);
}

static enum row_group group_of(const struct pack_auto_result *result, const struct usage_file *file)
{
    switch (file->place) {
    case USAGE_OWN:
        return ROW_ADD;
    case USAGE_PACKED:
        if (result->is_pruned && file->is_copy)
            return ROW_REMOVE;
        return file->is_stock && !file->is_changed ? ROW_NEEDLESS : ROW_PACKED;
    case USAGE_STOCK:
        return ROW_STOCK;
    case USAGE_EXCLUDED:
        return ROW_EXCLUDED;
    case USAGE_MISSING:
    case USAGE_PLACES:
        break;
    }
    return ROW_MISSING;
}

/* Returns an stb_ds array. */
static struct row *rows_of(const struct pack_auto_result *result)
{
    const struct usage *usage = &result->usage;
    struct row *rows = NULL;
    for (size_t i = 0; i < arrlenu(usage->files); i++) {
        const struct usage_file *file = &usage->files[i];
        arrput(rows, ((struct row){group_of(result, file), file->name, (ptrdiff_t)i}));
    }
    for (size_t i = 0; i < arrlenu(usage->unneeded); i++)
        arrput(rows, ((struct row){pack_auto_removes(result, usage->unneeded[i]) ? ROW_REMOVE
                                                                                 : ROW_NEEDLESS,
                                   usage->unneeded[i], -1}));
    if (rows)
        qsort(rows, arrlenu(rows), sizeof *rows, compare_rows);
    return rows;
}

static const char *reason_of(const struct usage *usage, const struct row *row, struct arena *arena)
{
    if (row->file < 0)
        return "used by nothing";
    const char *why = usage_reason(usage, (size_t)row->file, arena);
    if (usage->files[row->file].is_shadowed)
        return arena_printf(arena, "%s (another version is here)", why);
    if (usage->files[row->file].is_changed)
        return arena_printf(arena, "%s (in the place of the game's)", why);
    return row->group == ROW_NEEDLESS || row->group == ROW_REMOVE
               ? arena_printf(arena, "%s (the game has it)", why)
               : why;
}

const char *pack_auto_summary(const struct pack_auto_result *result, struct arena *arena)
{
    const char *removed =
        result->is_pruned ? arena_printf(arena, "removed %zu, ", result->removed) : "";
    return arena_printf(arena,
                        "files added %zu (%" PRIu64
                        " bytes), %smissing %zu, packed before %zu, needless %zu, of the game %zu",
                        result->count[USAGE_OWN], result->added, removed,
                        result->count[USAGE_MISSING],
                        result->count[USAGE_PACKED] + arrlenu(result->usage.unneeded),
                        result->needless, result->count[USAGE_STOCK]);
}

void pack_auto_print_rows(const struct pack_auto_result *result, FILE *out)
{
    struct row *rows = rows_of(result);
    struct arena scratch = {0};
    int width = 0;
    for (size_t i = 0; i < arrlenu(rows); i++)
        if (strlen(rows[i].name) <= 60 && (int)strlen(rows[i].name) > width)
            width = (int)strlen(rows[i].name);
    for (size_t i = 0; i < arrlenu(rows); i++) {
        const char *why = reason_of(&result->usage, &rows[i], &scratch);
        print_safely(arena_printf(&scratch, "%-8s  %-*s  %s", group_names[rows[i].group], width,
                                  rows[i].name, why),
                     out);
        fputc('\n', out);
        arena_reset(&scratch);
    }
    arena_free(&scratch);
    arrfree(rows);
}

void pack_auto_print(const struct pack_auto_result *result, FILE *out)
{
    struct arena scratch = {0};
    pack_auto_print_rows(result, out);
    fprintf(out, "%s\n", pack_auto_summary(result, &scratch));
    arena_free(&scratch);
}

static json_t *row_json(const struct pack_auto_result *result, const struct row *row)
{
    const struct usage *usage = &result->usage;
    struct arena scratch = {0};
    json_t *object = json_object();
    json_object_set_new(object, "name", print_json_text(row->name));
    json_object_set_new(object, "status", json_string(group_names[row->group]));
    json_object_set_new(object, "reason", print_json_text(reason_of(usage, row, &scratch)));
    if (row->file >= 0) {
        const struct usage_file *file = &usage->files[row->file];
        json_object_set_new(object, "kind", json_string(usage_kind_name(file->kind)));
        if (file->from >= 0)
            json_object_set_new(object, "from", print_json_text(usage->files[file->from].name));
        if (result->sources[row->file])
            json_object_set_new(object, "source", print_json_text(result->sources[row->file]));
        if (row->group == ROW_ADD)
            json_object_set_new(object, "bytes",
                                json_integer((json_int_t)result->sizes[row->file]));
        if (file->is_shadowed)
            json_object_set_new(object, "hidden", json_true());
    }
    arena_free(&scratch);
    return object;
}

void pack_auto_print_json(const struct pack_auto_result *result, const char *path, FILE *out)
{
    struct row *rows = rows_of(result);
    json_t *object = print_json_object(), *files = json_array();
    json_object_set_new(object, "file", print_json_text(path));
    json_object_set_new(object, "bytes", json_integer((json_int_t)result->added));
    json_object_set_new(object, "knows_sounds", json_boolean(result->usage.knows_sounds));
    json_object_set_new(object, "knows_particles", json_boolean(result->usage.knows_effects));
    for (size_t i = 0; i < arrlenu(rows); i++)
        json_array_append_new(files, row_json(result, &rows[i]));
    json_object_set_new(object, "files", files);
    print_json(object, out);
    arrfree(rows);
}
