#include "brushwork/archive/pack_pk3.h"

#include <stdlib.h>
#include <string.h>

#include "common/assets/game_program.h"
#include "common/assets/map_resources.h"
#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"
#include "common/io/zip.h"

struct pk3_job {
    const struct env *env;
    struct arena arena;
    const char *path, *map; /* the current BSP, and its base name */
    const char **exclude;   /* stb_ds array of patterns */
    struct bytes bsp;
    struct map_resources *all; /* stb_ds array: of each BSP, with its own file */
};

/* One pattern per line; // starts a comment. */
static void add_patterns(struct pk3_job *job, const struct bytes *text)
{
    const char *at = (const char *)text->data, *end = at + text->size;
    while (text->size && at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at)), *stop = at;
        line_end = line_end ? line_end : end;
        while (stop < line_end && !(stop[0] == '/' && stop + 1 < line_end && stop[1] == '/'))
            stop++;
        while (at < stop && (unsigned char)*at <= ' ')
            at++;
        while (stop > at && (unsigned char)stop[-1] <= ' ')
            stop--;
        if (stop > at)
            arrput(job->exclude, arena_strndup(&job->arena, at, (size_t)(stop - at)));
        at = line_end + (line_end < end);
    }
}

static enum status read_excludes(struct pk3_job *job, const struct pack_pk3_options *options)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < options->exclude_count && status == STATUS_OK; i++) {
        struct bytes text = {0};
        status = fs_load(job->env->fs, job->env->diag, options->exclude[i], &text);
        add_patterns(job, &text);
        bytes_free(&text);
    }
    return status;
}

static bool has_file(const struct map_resources *resources, const char *name)
{
    for (size_t i = 0; i < arrlenu(resources->files); i++)
        if (strcmp(resources->files[i].name, name) == 0)
            return true;
    return false;
}

static int compare_names(const void *a, const void *b)
{
    const struct map_resource *first = a, *second = b;
    return strcmp(first->name, second->name);
}

/* Adds the map, and its bot navigation (.aas) if that is next to it and not in the game. */
static void add_map(struct pk3_job *job, struct map_resources *resources)
{
    const char *beside = path_beside(&job->arena, job->path, ".bsp", ".aas");
    struct map_resource map = {arena_printf(&job->arena, "maps/%s.bsp", job->map), job->bsp};
    struct map_resource aas = {.name = arena_printf(&job->arena, "maps/%s.aas", job->map)};
    job->bsp = (struct bytes){0};
    arrput(resources->files, map);
    if (!has_file(resources, aas.name) &&
        fs_load_optional(job->env->fs, job->env->diag, beside, &aas.data))
        arrput(resources->files, aas);
    qsort(resources->files, arrlenu(resources->files), sizeof *resources->files, compare_names);
}

/* Files of all maps, each name once, in order. */
static struct map_resource *join_files(const struct pk3_job *job)
{
    struct map_resource *files = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(job->all); i++)
        for (size_t k = 0; k < arrlenu(job->all[i].files); k++)
            arrput(files, job->all[i].files[k]);
    if (arrlen(files) > 1)
        qsort(files, arrlenu(files), sizeof *files, compare_names);
    for (size_t i = 0; i < arrlenu(files); i++)
        if (!kept || strcmp(files[kept - 1].name, files[i].name) != 0)
            files[kept++] = files[i];
    arrsetlen(files, kept);
    return files;
}

static enum status write_archive(const struct pk3_job *job, const struct map_resource *files,
                                 const char *out)
{
    static const struct zip_packing how = {
        .method = ZIP_DEFLATED, .made_by = 20, .version_needed = 20, .time = ZIP_FIXED_TIME};
    const struct diag_where where = {.file = out};
    struct diag *diag = job->env->diag;
    struct zip_writer writer = {0};
    struct bytes archive = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(files) && status == STATUS_OK; i++)
        status = zip_add(&writer, files[i].name, files[i].data.data, files[i].data.size, &how,
                         &where, diag);
    if (status == STATUS_OK)
        status = zip_finish(&writer, "", 0, &where, diag, &archive);
    if (status == STATUS_OK)
        status = env_store(job->env, out, archive.data, archive.size);
    bytes_free(&archive);
    zip_writer_free(&writer);
    return status;
}

static enum status write_all(const struct program *program, const struct pk3_job *job,
                             const char *out)
{
    struct map_resource *files = join_files(job);
    size_t of_game = 0, excluded = 0, missing = 0;
    enum status status = write_archive(job, files, out);
    for (size_t i = 0; i < arrlenu(job->all); i++) {
        of_game += job->all[i].of_game;
        excluded += job->all[i].excluded;
        missing += job->all[i].missing;
    }
    if (status == STATUS_OK)
        console_say(program->console,
                    "wrote %s: files %zu; omitted: from the game %zu, excluded %zu, missing %zu",
                    out, arrlenu(files), of_game, excluded, missing);
    arrfree(files);
    return status;
}

static enum status collect_map(struct pk3_job *job, struct assets *assets,
                               const struct pack_pk3_options *options)
{
    struct bsp *bsp;
    TRY(bsp_read_file(job->env, job->path, &bsp));
    if (!bsp->engine->packs_in_pk3) {
        const struct diag_where where = {.file = job->path};
        enum status refused =
            diag_report(job->env->diag, DIAG_PK3_OTHER_MAP, &where, "%s", bsp->format->title);
        bsp_free(bsp);
        return refused;
    }
    const struct map_resource_options collect = {.map = job->map,
                                                 .exclude = job->exclude,
                                                 .exclude_count = arrlenu(job->exclude),
                                                 .with_game = options->with_game};
    struct map_resources resources;
    map_resources_collect(assets, bsp, &collect, &resources);
    add_map(job, &resources);
    arrput(job->all, resources);
    bsp_free(bsp);
    return STATUS_OK;
}

static const char *map_name(struct arena *arena, const char *path)
{
    const char *name = path_name(path);
    size_t length = strlen(name) - (str_ends_nocase(name, ".bsp") ? strlen(".bsp") : 0);
    return arena_strndup(arena, name, length);
}

/* Two maps of one name would be one file of the archive. */
static enum status check_names(struct pk3_job *job, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (str_equal_nocase(map_name(&job->arena, paths[i]),
                                 map_name(&job->arena, paths[k]))) {
                (void)diag_report(job->env->diag, DIAG_USAGE, NULL,
                                  "%s and %s have the same name in the archive", paths[k],
                                  paths[i]);
                return STATUS_USAGE;
            }
    return STATUS_OK;
}

static enum status collect_maps(struct pk3_job *job, struct assets *assets,
                                const char *const *paths, size_t count,
                                const struct pack_pk3_options *options)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        job->path = paths[i];
        job->map = map_name(&job->arena, paths[i]);
        status = fs_load(job->env->fs, job->env->diag, paths[i], &job->bsp);
        if (status == STATUS_OK)
            status = collect_map(job, assets, options);
        bytes_free(&job->bsp);
        job->bsp = (struct bytes){0};
    }
    return status;
}

enum status pack_pk3(const struct program *program, const char *const *paths, size_t count,
                     const struct pack_pk3_options *options)
{
    struct pk3_job job = {.env = program->env};
    struct assets *assets = NULL;
    enum status status = check_names(&job, paths, count);
    if (status == STATUS_OK)
        status = fs_prepare_output(job.env->fs, job.env->diag, options->out);
    if (status == STATUS_OK)
        status = read_excludes(&job, options);
    if (status == STATUS_OK)
        status = assets_open_of(job.env, options->standard,
                                (struct assets_use){.has_shaders = true}, &assets);
    if (status == STATUS_OK)
        status = collect_maps(&job, assets, paths, count, options);
    if (status == STATUS_OK)
        status = write_all(program, &job, options->out);
    assets_free(assets);
    for (size_t i = 0; i < arrlenu(job.all); i++)
        map_resources_free(&job.all[i]);
    arrfree(job.all);
    arrfree(job.exclude);
    arena_free(&job.arena);
    return status;
}
