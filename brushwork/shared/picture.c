#include "brushwork/shared/picture.h"

#include <string.h>

#include "ballance/level/bmx_drawn.h"
#include "common/assets/game_program.h"
#include "common/assets/mounts/mount.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/cli/subject.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/pictures.def"
#include "common/diag/codes/usage.def"
#include "common/diag/diag_property.h"
#include "common/diag/properties/sketch.def"
#include "common/io/fs.h"
#include "render/pictures/leak.h"
#include "scene/images/image_encode.h"

enum { JPEG_QUALITY = 92 };

/* A BM file is made a map. */
static enum status read_level(const struct env *env, const char *path, const struct bytes *file,
                              struct picture_map *out)
{
    struct arena arena = {0};
    struct bmx_level_files files;
    enum status status = bmx_drawn_read(file->data, file->size, level_name(&arena, path), path,
                                        env->diag, &out->bsp, &files);
    if (status == STATUS_OK)
        out->files = bmx_level_files_mount(&files, path);
    bmx_level_files_free(&files);
    arena_free(&arena);
    return status;
}

static enum status read_map(const struct env *env, const char *path, struct picture_map *out)
{
    struct bytes file = {0};
    TRY(fs_load(env->fs, env->diag, path, &file));
    if (!bmx_is_bmx(file.data, file.size))
        return bsp_decode_file(&file, path, env->diag, &out->bsp);
    enum status status = read_level(env, path, &file, out);
    bytes_free(&file);
    return status;
}

enum status picture_map_open(const struct env *env, const struct standard_options *standard,
                             const struct render_options *options, const char *path,
                             struct picture_map *out)
{
    *out = (struct picture_map){0};
    TRY(read_map(env, path, out));
    TRY(assets_open_of(env, standard,
                       (struct assets_use){.has_shaders = out->bsp->engine->has_shaders},
                       &out->assets));
    if (out->files)
        assets_mount_first(out->assets, mount_folder(out->files, path, env->diag));
    assets_hold_missing(out->assets); /* the picture has its own report of them */
    return render_open(env, out->assets, out->bsp, options, &out->render);
}

void picture_map_close(struct picture_map *map)
{
    render_close(map->render);
    if (map->assets) {
        const struct material **missing = assets_release_missing(map->assets);
        arrfree(missing);
        assets_free(map->assets);
    }
    if (map->files)
        fs_memory_free(map->files);
    bsp_free(map->bsp);
}

static const char *ending_of(const char *path)
{
    return str_ends_nocase(path, ".bmx") ? ".bmx" : ".bsp";
}

const char *picture_map_name(struct arena *arena, const char *path)
{
    const char *name = path_name(path), *ending = ending_of(path);
    size_t length = strlen(name);
    return arena_strndup(arena, name,
                         str_ends_nocase(name, ending) ? length - strlen(ending) : length);
}

enum status picture_store(const struct env *env, const unsigned char *pixels, int width, int height,
                          const char *path)
{
    struct bytes file = {0};
    if (str_ends_nocase(path, ".jpg") || str_ends_nocase(path, ".jpeg"))
        jpeg_encode(pixels, width, height, JPEG_QUALITY, &file);
    else
        png_encode_quick(pixels, 3, width, height, &file);
    enum status status = env_store(env, path, file.data, file.size);
    bytes_free(&file);
    return status;
}

/* True for a file that is read, and for any that is named as those that may be. */
static bool is_map(const struct program *program, const char *path)
{
    const char *const *operands = program->result->operands;
    bool is_operand = false;
    for (size_t i = 0; i < arrlenu(operands); i++)
        is_operand |= strcmp(operands[i], path) == 0;
    return strcmp(path, "-") != 0 && (is_operand || subject_names_input(program->table, path));
}

enum status picture_prepare(const struct program *program, const char *named, const char *beside,
                            const char *endings)
{
    const struct env *env = program->env;
    if (!named)
        return fs_prepare_beside(env->fs, env->diag, beside);
    if (is_map(program, named))
        (void)diag_report(env->diag, DIAG_USAGE, NULL, "--out: %s would be overwritten", named);
    else if (strchr(path_name(named), '.') && !subject_has_ending(endings, named))
        (void)diag_report(env->diag, DIAG_USAGE, NULL,
                          "--out: %s has another ending than what is written: %s", named, endings);
    else
        return fs_prepare_output(env->fs, env->diag, named);
    return STATUS_USAGE;
}

const char *picture_operand(const struct program *program, size_t index, struct arena *arena)
{
    const struct env *env = program->env;
    struct fs *fs = env->fs;
    struct fs_info source, bsp;
    const char *operand = program->result->operands[index],
               *path = path_of_operand(arena, fs, operand, ".bsp");
    bool is_other = strcmp(path, operand) != 0 && fs->ops->kind(fs, operand) == FS_FILE;
    if (is_other && fs->ops->info && fs->ops->info(fs, operand, &source) == 0 &&
        fs->ops->info(fs, path, &bsp) == 0 && bsp.modified < source.modified)
        (void)diag_report(env->diag, DIAG_PICTURE_OLD, &(struct diag_where){.file = path},
                          "%s was changed later", operand);
    return path;
}

enum status picture_against(const struct env *env, const char *operand, struct arena *arena,
                            const char **path)
{
    struct bytes file = {0};
    *path = operand ? path_of_operand(arena, env->fs, operand, ".bsp") : NULL;
    if (!operand || strcmp(*path, "-") == 0 || env->fs->ops->kind(env->fs, *path) == FS_FILE)
        return STATUS_OK;
    enum status status = fs_load(env->fs, env->diag, *path, &file); /* tells why not */
    bytes_free(&file);
    return status;
}

enum status picture_open(const struct program *program, const struct picture_verb *verb,
                         const struct picture_paths *paths)
{
    struct picture_map map;
    enum status status =
        picture_map_open(program->env, verb->standard, verb->options, paths->map, &map);
    if (status == STATUS_OK)
        status = verb->write(program, map.render, paths);
    picture_map_close(&map);
    return status;
}

enum status picture_write(const struct program *program, const struct picture_verb *verb,
                          enum status options_status)
{
    struct arena arena = {0};
    const char *map = picture_operand(program, 0, &arena);
    const char *out = verb->out ? verb->out
                      : strcmp(map, "-") == 0
                          ? "-"
                          : path_beside(&arena, map, ending_of(map), verb->extension);
    if (strcmp(out, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, verb->name, map);
    enum status status = options_status;
    if (status == STATUS_OK)
        status = picture_prepare(program, verb->out, out, verb->endings);
    if (status == STATUS_OK)
        status = picture_open(program, verb, &(struct picture_paths){map, out});
    arena_free(&arena);
    return status;
}

/* --- pictures of leaks --- */

const struct render_options leak_picture_options = {
    .width = 960, .height = 540, .samples = 1, .fov = 90};

static const struct diag_entry *find_leak(const struct diag *diag)
{
    for (size_t i = 0; i < diag_entries(diag); i++)
        if (diag_is_leak(diag_entry(diag, i)) &&
            diag_property(&diag_entry(diag, i)->where, DIAG_OF_WAY))
            return diag_entry(diag, i);
    return NULL;
}

static enum status draw(const struct env *env, const struct render *render,
                        const struct diag_entry *leak, const char *path)
{
    struct canvas picture = leak_draw(render, leak);
    enum status status = picture_store(env, picture.pixels, picture.width, picture.height, path);
    memory_free(picture.pixels);
    return status;
}

enum status leak_picture_write(const struct env *env, struct assets *assets, const struct bsp *bsp,
                               const struct render_options *options, const char *path)
{
    const struct diag_entry *leak = find_leak(env->diag);
    /* That a map which has not been lit is not lit is no news. */
    struct env quiet = *env;
    struct render *render;
    if (!leak)
        return fs_remove_stale(env->fs, env->diag, path);
    quiet.diag = diag_new(NULL, NULL);
    enum status status = render_open(&quiet, assets, bsp, options, &render);
    status = status == STATUS_OK ? draw(env, render, leak, path)
                                 : fs_remove_stale(env->fs, env->diag, path);
    render_close(render);
    diag_free(quiet.diag);
    return status;
}
