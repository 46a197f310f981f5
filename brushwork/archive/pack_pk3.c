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

/* The first day that MS-DOS knows: no run is to differ from another by its date. */
#define FIXED_TIME ((uint32_t)(1 << 5 | 1) << 16)

struct packing {
    const struct env *env;
    struct arena arena;
    const char *path, *map; /* the BSP, and its name */
    const char **exclude;   /* stb_ds array of patterns */
    struct bytes bsp;
};

/* A pattern a line; // starts a comment. */
static void add_patterns(struct packing *packing, const struct bytes *text)
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
            arrput(packing->exclude, arena_strndup(&packing->arena, at, (size_t)(stop - at)));
        at = line_end + (line_end < end);
    }
}

static enum status read_excludes(struct packing *packing, const struct pack_pk3 *job)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->exclude_count && status == STATUS_OK; i++) {
        struct bytes text = {0};
        status = fs_load(packing->env->fs, packing->env->diag, job->exclude[i], &text);
        add_patterns(packing, &text);
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

static int by_name(const void *a, const void *b)
{
    const struct map_resource *first = a, *second = b;
    return strcmp(first->name, second->name);
}

/* The map, and what the robots know of it where that lies beside it and not in the game. */
static void add_map(struct packing *packing, struct map_resources *resources)
{
    const char *beside = path_beside(&packing->arena, packing->path, ".bsp", ".aas");
    struct map_resource map = {arena_printf(&packing->arena, "maps/%s.bsp", packing->map),
                               packing->bsp};
    struct map_resource aas = {.name = arena_printf(&packing->arena, "maps/%s.aas", packing->map)};
    packing->bsp = (struct bytes){0};
    arrput(resources->files, map);
    if (!has_file(resources, aas.name) &&
        packing->env->fs->ops->read(packing->env->fs, beside, &aas.data) == 0)
        arrput(resources->files, aas);
    qsort(resources->files, arrlenu(resources->files), sizeof *resources->files, by_name);
}

static enum status write_archive(const struct packing *packing,
                                 const struct map_resources *resources, const char *out)
{
    static const struct zip_packing how = {
        .method = ZIP_DEFLATED, .made_by = 20, .version_needed = 20, .time = FIXED_TIME};
    const struct diag_where where = {.file = out};
    struct diag *diag = packing->env->diag;
    struct zip_writer writer = {0};
    struct bytes archive = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(resources->files) && status == STATUS_OK; i++) {
        const struct map_resource *file = &resources->files[i];
        status = zip_add(&writer, file->name, file->data.data, file->data.size, &how, &where, diag);
    }
    if (status == STATUS_OK)
        status = zip_finish(&writer, "", 0, &where, diag, &archive);
    if (status == STATUS_OK)
        status = fs_store(packing->env->fs, diag, out, archive.data, archive.size);
    bytes_free(&archive);
    zip_writer_free(&writer);
    return status;
}

static enum status pack_map(const struct program *program, struct packing *packing,
                            struct assets *assets, const struct pack_pk3 *job)
{
    struct bsp *bsp;
    TRY(bsp_read_file(packing->env, packing->path, &bsp));
    if (bsp->format->family == CONTAINER_VBSP) {
        const struct diag_where where = {.file = packing->path};
        enum status refused =
            diag_report(packing->env->diag, DIAG_PK3_OTHER_MAP, &where, "%s", bsp->format->title);
        bsp_free(bsp);
        return refused;
    }
    const struct map_resource_options options = {.map = packing->map,
                                                 .exclude = packing->exclude,
                                                 .exclude_count = arrlenu(packing->exclude),
                                                 .with_game = job->with_game};
    struct map_resources resources;
    map_resources_collect(assets, bsp, &options, &resources);
    add_map(packing, &resources);
    enum status status = write_archive(packing, &resources, job->out);
    if (status == STATUS_OK)
        console_say(program->console,
                    "%s: %zu files; left out: %zu of the game, %zu excluded, %zu missing", job->out,
                    arrlenu(resources.files), resources.of_game, resources.excluded,
                    resources.missing);
    map_resources_free(&resources);
    bsp_free(bsp);
    return status;
}

static const char *map_name(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name) - (str_ends_nocase(name, ".bsp") ? strlen(".bsp") : 0);
    return arena_strndup(arena, name, length);
}

enum status pack_pk3(const struct program *program, const char *path, const struct pack_pk3 *job)
{
    struct packing packing = {.env = program->env, .path = path};
    struct assets *assets = NULL;
    packing.map = map_name(&packing.arena, path);
    enum status status = fs_load(packing.env->fs, packing.env->diag, path, &packing.bsp);
    if (status == STATUS_OK)
        status = read_excludes(&packing, job);
    if (status == STATUS_OK)
        status = assets_open_of(packing.env, job->standard, (struct assets_use){.quake3 = true},
                                &assets);
    if (status == STATUS_OK)
        status = pack_map(program, &packing, assets, job);
    assets_free(assets);
    bytes_free(&packing.bsp);
    arrfree(packing.exclude);
    arena_free(&packing.arena);
    return status;
}
