#include "brushwork/archive/pack_pk3.h"

#include <stdlib.h>
#include <string.h>

#include "brushwork/packing/pack_auto.h"
#include "brushwork/shared/print.h"
#include "common/assets/game_program.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/shaders/shader_script.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/bsp/engine_content.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/pk3.def"
#include "common/diag/codes/shaders.def"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"
#include "common/io/zip.h"
#include "common/usage/arena_block.h"
#include "common/usage/usage.h"

/* The files of a .pk3 of a Quake 3 map, by the graph of what it uses. */

struct pk3_file {
    const char *name; /* lower case, with `/` */
    struct bytes data;
    int64_t of; /* index of the file in the graph, or -1 */
};

static void add_shaders(struct assets *assets, const struct usage *usage, struct bytes *script)
{
    const char **names = NULL;
    for (size_t i = 0; i < arrlenu(usage->files); i++)
        if (usage->files[i].kind == USAGE_SHADER && usage->files[i].place == USAGE_OWN)
            arrput(names, usage->files[i].name);
    if (names)
        qsort(names, arrlenu(names), sizeof *names, str_compare_items);
    for (size_t i = 0; i < arrlenu(names); i++) {
        const struct shader_block *block = assets_shader_block(assets, names[i]);
        if (!block)
            continue;
        bytes_append_text(script, "%s\n{", names[i]);
        bytes_append(script, block->text, block->size);
        bytes_append_text(script, "\n}\n");
    }
    arrfree(names);
}

static bool read_file(const struct assets *assets, const char *map, const struct usage_file *file,
                      struct arena *arena, struct bytes *out)
{
    size_t mount;
    if (file->kind != USAGE_ARENA)
        return assets_read_from(assets, (size_t)file->mount, file->name, out);
    if (!arena_block_find(assets, map, arena, out, &mount))
        return false;
    bytes_append_text(out, "\n");
    return true;
}

/* Returns the files that the map uses and the game does not have, in byte order of their names: an
 * stb_ds array. Shader scripts are reduced to the shaders that are used, in scripts/MAP.shader, and
 * scripts for menus to the block of the map. The map itself is not among them. Names are in the
 * arena. Files that cannot be read are reported. Free with pk3_files_free. */
static struct pk3_file *pk3_files_make(struct assets *assets, const char *map,
                                       const struct usage *usage, struct arena *arena)
{
    struct pk3_file *files = NULL, script = {.of = -1};
    for (size_t i = 0; i < arrlenu(usage->files); i++) {
        const struct usage_file *file = &usage->files[i];
        struct pk3_file one = {.name = file->name, .of = (int64_t)i};
        if (file->place == USAGE_OWN && file->kind != USAGE_SHADER &&
            read_file(assets, map, file, arena, &one.data))
            arrput(files, one);
    }
    add_shaders(assets, usage, &script.data);
    if (script.data.size) {
        script.name = asset_name(arena, arena_printf(arena, "scripts/%s.shader", map));
        arrput(files, script);
    }
    if (files)
        qsort(files, arrlenu(files), sizeof *files, str_compare_items);
    return files;
}

static void pk3_files_free(struct pk3_file *files)
{
    for (size_t i = 0; i < arrlenu(files); i++)
        bytes_free(&files[i].data);
    arrfree(files);
}

/* --- pack pk3 --- */

struct pk3_map {
    const char *path;
    struct pack_auto_result found;
    struct pk3_file *files; /* stb_ds array: with its own file */
};

struct pk3_job {
    const struct env *env;
    struct arena arena;
    const char *path, *map; /* the current BSP, and its base name */
    const char **exclude;   /* stb_ds array of patterns */
    struct bytes bsp;
    struct pk3_map *all; /* stb_ds array */
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

static bool has_file(const struct pk3_file *files, const char *name)
{
    for (size_t i = 0; i < arrlenu(files); i++)
        if (strcmp(files[i].name, name) == 0)
            return true;
    return false;
}

static int compare_names(const void *a, const void *b)
{
    const struct pk3_file *first = a, *second = b;
    return strcmp(first->name, second->name);
}

/* Adds the map, and its bot navigation (.aas) if that is next to it and not in the game. */
static void add_map(struct pk3_job *job, struct pk3_map *map)
{
    const char *beside = path_beside(&job->arena, job->path, ".bsp", ".aas");
    struct pk3_file bsp = {
        .name = arena_printf(&job->arena, "maps/%s.bsp", job->map), .data = job->bsp, .of = -1};
    struct pk3_file aas = {.name = arena_printf(&job->arena, "maps/%s.aas", job->map), .of = -1};
    job->bsp = (struct bytes){0};
    arrput(map->files, bsp);
    if (!has_file(map->files, aas.name) &&
        fs_load_optional(job->env->fs, job->env->diag, beside, &aas.data))
        arrput(map->files, aas);
    qsort(map->files, arrlenu(map->files), sizeof *map->files, compare_names);
}

/* Files of all maps, each name once, in order. */
static struct pk3_file *join_files(const struct pk3_job *job)
{
    struct pk3_file *files = NULL;
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

static enum status write_archive(const struct pk3_job *job, const struct pk3_file *files,
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
    struct pk3_file *files = join_files(job);
    size_t count[USAGE_PLACES] = {0};
    enum status status = write_archive(job, files, out);
    for (size_t i = 0; i < arrlenu(job->all); i++)
        for (int place = 0; place < USAGE_PLACES; place++)
            count[place] += job->all[i].found.count[place];
    if (status == STATUS_OK)
        console_say(program->console,
                    "wrote %s: files %zu; omitted: from the game %zu, excluded %zu, missing %zu",
                    out, arrlenu(files), count[USAGE_STOCK], count[USAGE_EXCLUDED],
                    count[USAGE_MISSING]);
    arrfree(files);
    return status;
}

/* ---- what a map uses ---- */

static void tell_missing(const struct pk3_job *job, const struct usage *usage)
{
    struct arena scratch = {0};
    for (size_t i = 0; i < arrlenu(usage->files); i++) {
        const struct usage_file *file = &usage->files[i];
        const int code = file->kind == USAGE_SHADER ? DIAG_SHADER_MISSING : DIAG_RESOURCE_MISSING;
        if (file->place == USAGE_MISSING)
            (void)diag_report(job->env->diag, code, NULL, "\"%s\", used by %s", file->name,
                              usage_reason(usage, i, &scratch));
        arena_reset(&scratch);
    }
    arena_free(&scratch);
}

static void count_files(struct pk3_map *map, const struct assets *assets)
{
    struct pack_auto_result *found = &map->found;
    pack_auto_count(found, assets);
    for (size_t i = 0; i < arrlenu(map->files); i++) {
        found->added += map->files[i].data.size;
        if (map->files[i].of >= 0)
            found->sizes[map->files[i].of] = map->files[i].data.size;
    }
}

static enum status collect(struct pk3_job *job, struct assets *assets, const struct bsp *bsp,
                           const struct pack_pk3_options *options)
{
    const struct usage_options rules = {.map = job->map,
                                        .exclude = job->exclude,
                                        .exclude_count = arrlenu(job->exclude),
                                        .with_game = options->with_game};
    struct pk3_map map = {.path = job->path};
    if (!bsp->engine->content->packs_in_pk3)
        return diag_report(job->env->diag, DIAG_PK3_OTHER_MAP,
                           &(struct diag_where){.file = job->path}, "%s", bsp->format->title);
    usage_find(assets, bsp, NULL, &rules, &map.found.usage);
    tell_missing(job, &map.found.usage);
    map.files = pk3_files_make(assets, job->map, &map.found.usage, &job->arena);
    count_files(&map, assets);
    add_map(job, &map);
    arrput(job->all, map);
    return STATUS_OK;
}

static enum status collect_map(struct pk3_job *job, struct assets *assets,
                               const struct pack_pk3_options *options)
{
    struct bsp *bsp;
    TRY(bsp_read_file(job->env, job->path, &bsp));
    enum status status = collect(job, assets, bsp, options);
    bsp_free(bsp);
    return status;
}

/* The tables go where no archive is written to. */
static enum status show(const struct pk3_job *job, const struct pack_pk3_options *options)
{
    const struct console_options *console = &options->standard->console;
    if (console->quiet || (!options->dry_run && strcmp(options->out, "-") == 0))
        return STATUS_OK;
    for (size_t i = 0; i < arrlenu(job->all); i++) {
        if (console->json)
            pack_auto_print_json(&job->all[i].found, job->all[i].path, stdout);
        else
            pack_auto_print_rows(&job->all[i].found, stdout);
    }
    return print_flush(job->env->diag);
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
    if (status == STATUS_OK && !options->dry_run)
        status = fs_prepare_output(job.env->fs, job.env->diag, options->out);
    if (status == STATUS_OK)
        status = read_excludes(&job, options);
    if (status == STATUS_OK)
        status = assets_open_of(job.env, options->standard,
                                (struct assets_use){.has_shaders = true}, &assets);
    if (status == STATUS_OK)
        status = collect_maps(&job, assets, paths, count, options);
    if (status == STATUS_OK)
        status = show(&job, options);
    if (status == STATUS_OK && !options->dry_run)
        status = write_all(program, &job, options->out);
    assets_free(assets);
    for (size_t i = 0; i < arrlenu(job.all); i++) {
        pk3_files_free(job.all[i].files);
        pack_auto_free(&job.all[i].found);
    }
    arrfree(job.all);
    arrfree(job.exclude);
    arena_free(&job.arena);
    return status;
}
