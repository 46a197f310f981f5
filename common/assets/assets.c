#include "common/assets/assets.h"

#include <math.h>
#include <string.h>

#include "common/assets/assets_parts.h"
#include "common/assets/builtin.h"
#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/mounts/disk_path.h"
#include "common/assets/mounts/quake3_paths.h"
#include "common/assets/mounts/search_paths.h"
#include "common/assets/shaders/shader.h"
#include "common/assets/textures/texdata.h"
#include "common/assets/textures/vtf.h"
#include "common/bsp/flags.h"
#include "common/core/array.h"
#include "common/core/strings.h"

/* A material without a texture of its own, such as water: measured on compiled maps. */
#define BARE_SIZE         128
#define BARE_REFLECTIVITY 0.2
/* One of which nothing is known. */
#define MISSING_SIZE         512
#define MISSING_REFLECTIVITY 0.5

struct material_cell {
    char *key;
    struct material *value;
};

struct assets {
    const struct env *env;
    struct arena arena;
    struct search_paths paths;
    struct texdata catalogue;
    struct material_cell *materials;      /* stb_ds map by clean name */
    const struct material *last_material; /* that was asked for */
    bool holds;                           /* missing materials are kept in `held` */
    const struct material **held;         /* stb_ds array */
    bool quake3;                          /* names mean shaders */
    bool sizes_only;
    struct shader_set *shaders; /* NULL: none was asked for yet */
};

/* A folder of Source, or what can be taken for nothing else. */
static bool is_source(const struct env *env, const char *game, struct arena *arena)
{
    const char *path = disk_path_clean(arena, game);
    enum fs_kind kind = env->fs->ops->kind(env->fs, path);
    return kind == FS_FILE ||
           (kind == FS_DIRECTORY && disk_path_find(env->fs, arena, path, "gameinfo.txt"));
}

/* Mounts the game, of whichever family it is. */
static enum status open_game(struct assets *assets, const struct assets_options *options)
{
    const struct env *env = assets->env;
    struct quake3_places places = {0};
    assets->quake3 = options->quake3;
    if (options->game && is_source(env, options->game, &assets->arena)) {
        assets->quake3 = false;
        return search_paths_read(env, options->game, &assets->arena, &assets->paths);
    }
    if (!quake3_places_find(env, options, &assets->arena, &places))
        return options->game ? search_paths_read(env, options->game, &assets->arena, &assets->paths)
                             : STATUS_OK;
    assets->quake3 = true;
    enum status status = STATUS_OK;
    if (!places.found && options->game)
        status =
            diag_report(env->diag, DIAG_QUAKE3_MISSING, &(struct diag_where){.file = options->game},
                        "no base path has a game folder with packs (.pk3) or scripts");
    else
        quake3_mount(env, options, &places, &assets->arena, &assets->paths.mounts);
    quake3_places_free(&places);
    return status;
}

enum status assets_open(const struct env *env, const struct assets_options *options,
                        struct assets **out)
{
    struct assets *assets = memory_zalloc(1, sizeof *assets);
    assets->env = env;
    assets->sizes_only = options->sizes_only;
    enum status status = search_paths_insert(env, options->search_paths, options->search_path_count,
                                             &assets->arena, &assets->paths);
    if (status == STATUS_OK)
        status = open_game(assets, options);
    for (size_t i = 0; i < options->texdata_count && status == STATUS_OK; i++) {
        struct bytes text = {0};
        status = fs_load(env->fs, env->diag, options->texdata[i], &text);
        if (status == STATUS_OK)
            texdata_parse(&assets->catalogue, (const char *)text.data, text.size,
                          options->texdata[i], env->diag);
        bytes_free(&text);
    }
    if (status != STATUS_OK) {
        assets_free(assets);
        assets = NULL;
    }
    *out = assets;
    return status;
}

void assets_free(struct assets *assets)
{
    if (!assets)
        return;
    for (size_t i = 0; i < arrlenu(assets->paths.mounts); i++)
        assets->paths.mounts[i]->ops->free(assets->paths.mounts[i]);
    arrfree(assets->paths.mounts);
    shfree(assets->materials);
    arrfree(assets->held);
    texdata_free(&assets->catalogue);
    shader_set_free(assets->shaders);
    arena_free(&assets->arena);
    memory_free(assets);
}

void assets_mount_first(struct assets *assets, struct mount *mount)
{
    arrins(assets->paths.mounts, 0, mount);
}

bool assets_read_clean(const struct assets *assets, const char *name, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(assets->paths.mounts); i++)
        if (assets->paths.mounts[i]->ops->read(assets->paths.mounts[i], name, out))
            return true;
    return false;
}

bool assets_read_start(const struct assets *assets, const char *clean, size_t most,
                       struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(assets->paths.mounts); i++) {
        struct mount *mount = assets->paths.mounts[i];
        if (mount->ops->read_start ? mount->ops->read_start(mount, clean, most, out)
                                   : mount->ops->read(mount, clean, out))
            return true;
    }
    return false;
}

bool assets_read(struct assets *assets, const char *name, struct bytes *out)
{
    struct arena scratch = {0};
    const char *clean = asset_name(&scratch, name);
    bool found = clean && assets_read_clean(assets, clean, out);
    arena_free(&scratch);
    return found;
}

bool assets_read_from(const struct assets *assets, size_t mount, const char *name,
                      struct bytes *out)
{
    struct arena scratch = {0};
    struct mount *from = assets->paths.mounts[mount];
    const char *clean = asset_name(&scratch, name);
    bool found = clean && from->ops->read(from, clean, out);
    arena_free(&scratch);
    return found;
}

bool assets_find(const struct assets *assets, const char *name, struct bytes *out, size_t *mount)
{
    for (*mount = 0; *mount < assets_mounts(assets); ++*mount)
        if (assets_read_from(assets, *mount, name, out))
            return true;
    return false;
}

void assets_list(const struct assets *assets, const char *folder, mount_visit *visit, void *context)
{
    for (size_t i = 0; i < arrlenu(assets->paths.mounts); i++) {
        struct mount *mount = assets->paths.mounts[i];
        if (mount->ops->list)
            mount->ops->list(mount, folder, visit, context);
    }
}

const struct env *assets_env(const struct assets *assets)
{
    return assets->env;
}

bool assets_is_quake3(const struct assets *assets)
{
    return assets->quake3;
}

bool assets_holds(const struct assets *assets)
{
    return assets->holds;
}

bool assets_wants_colours(const struct assets *assets)
{
    return !assets->sizes_only;
}

struct shader_set *assets_shaders(struct assets *assets)
{
    if (!assets->shaders)
        assets->shaders = shader_set_new(assets);
    return assets->shaders;
}

size_t assets_mounts(const struct assets *assets)
{
    return arrlenu(assets->paths.mounts);
}

const char *assets_mount(const struct assets *assets, size_t index)
{
    return assets->paths.mounts[index]->path;
}

void assets_hold_missing(struct assets *assets)
{
    assets->holds = true;
}

const struct material **assets_release_missing(struct assets *assets)
{
    const struct material **held = assets->held;
    assets->held = NULL;
    assets->holds = false;
    return held;
}

const struct kv *assets_gameinfo(const struct assets *assets)
{
    return assets->paths.gameinfo;
}

const char *assets_game_folder(const struct assets *assets)
{
    return assets->paths.folder;
}

static bool include_file(void *context, const char *path, struct bytes *out)
{
    return assets_read(context, path, out);
}

bool vmt_load(struct assets *assets, const char *name, struct arena *arena, struct vmt *out)
{
    const char *clean = asset_material_name(arena, name);
    if (!clean)
        return false;
    const char *file = arena_printf(arena, "materials/%s.vmt", clean);
    struct bytes text = {0};
    bool loaded = assets_read_clean(assets, file, &text) &&
                  vmt_parse((const char *)text.data, text.size, file, include_file, assets, arena,
                            assets->env->diag, out);
    bytes_free(&text);
    return loaded;
}

bool assets_has_material(const struct assets *assets, const char *name)
{
    struct arena scratch = {0};
    struct bytes text = {0};
    const char *clean = asset_material_name(&scratch, name);
    bool found =
        clean &&
        (texdata_find(&assets->catalogue, clean) || builtin_material(clean) ||
         assets_read_clean(assets, arena_printf(&scratch, "materials/%s.vmt", clean), &text));
    bytes_free(&text);
    arena_free(&scratch);
    return found;
}

static bool read_texture(struct assets *assets, const char *name, struct vtf_header *out)
{
    const char *file = asset_texture_file(&assets->arena, name);
    struct bytes bytes = {0};
    bool read = file && assets_read_clean(assets, file, &bytes) &&
                vtf_read_header(bytes.data, bytes.size, out);
    bytes_free(&bytes);
    return read;
}

static void set_looks(struct material *material, int width, int height, double reflectivity)
{
    material->width = material->view_width = width;
    material->height = material->view_height = height;
    for (int i = 0; i < 3; i++)
        material->reflectivity[i] = reflectivity;
}

/* What the catalogue or the built-in set knows of the name, laid over `material`. */
static bool apply_known(const struct assets *assets, const char *clean, struct material *material)
{
    const struct material *built_in = builtin_material(clean);
    const struct texdata_row *row = texdata_find(&assets->catalogue, clean);
    if (built_in)
        *material = *built_in;
    if (row) {
        texdata_apply(row, built_in != NULL, material);
        material->origin = MATERIAL_CATALOGUE;
    }
    return row || built_in;
}

/* A key with a texture in a file; _rt_ names are made while the game runs. */
static const char *texture_of(const struct vmt *vmt, const char *key)
{
    const char *name = vmt_value(vmt, key);
    return name && *name && !str_starts_nocase(name, "_rt_") ? name : NULL;
}

/* Size and light of a material whose texture is $basetexture. */
static void look_like_texture(struct assets *assets, const char *clean, const char *texture,
                              struct material *material)
{
    struct vtf_header header;
    if (read_texture(assets, texture, &header)) {
        set_looks(material, header.width, header.height, 0);
        for (int i = 0; i < 3; i++)
            material->reflectivity[i] = fmax(0, (double)header.reflectivity[i]);
        return;
    }
    set_looks(material, MISSING_SIZE, MISSING_SIZE, MISSING_REFLECTIVITY);
    struct material known = *material;
    if (apply_known(assets, clean, &known)) {
        set_looks(material, known.width, known.height, 0);
        memcpy(material->reflectivity, known.reflectivity, sizeof known.reflectivity);
        return;
    }
    struct diag_where where = {.file = arena_printf(&assets->arena, "materials/%s.vmt", clean)};
    diag_report(assets->env->diag, DIAG_TEXTURE_MISSING, &where, "\"%s\"", texture);
}

/* Water and refracting glass: as large as their normal map. */
static void look_bare(struct assets *assets, const struct vmt *vmt, struct material *material)
{
    static const char *const keys[] = {"$normalmap", "$bumpmap", "%tooltexture"};
    struct vtf_header header = {.width = BARE_SIZE, .height = BARE_SIZE};
    bool found = false;
    for (int i = 0; i < 3 && !found; i++) {
        const char *texture = texture_of(vmt, keys[i]);
        found = texture && read_texture(assets, texture, &header);
    }
    set_looks(material, header.width, header.height, BARE_REFLECTIVITY);
}

/* "[.2 .3 .3]", or "{51 77 77}" of 255. */
static void override_reflectivity(const struct vmt *vmt, struct material *material)
{
    const char *text = vmt_value(vmt, "$reflectivity");
    double numbers[3];
    if (!text || str_to_doubles(text, numbers, 3) != 3)
        return;
    double scale = strchr(text, '{') ? 1.0 / 255 : 1;
    for (int i = 0; i < 3; i++)
        material->reflectivity[i] = fmax(0, numbers[i] * scale);
}

static bool load_game_material(struct assets *assets, const char *clean, struct material *material)
{
    struct vmt vmt;
    if (!vmt_load(assets, clean, &assets->arena, &vmt))
        return false;
    vmt_compile_meaning(&vmt, material);
    const char *texture = texture_of(&vmt, "$basetexture");
    if (texture)
        look_like_texture(assets, clean, texture, material);
    else
        look_bare(assets, &vmt, material);
    override_reflectivity(&vmt, material);
    material->origin = MATERIAL_GAME;
    return true;
}

/* The material of a shader that is asked for by `name`, which is as a BSP has it. */
static struct material *material_of_shader(struct assets *assets, const char *name)
{
    const struct shader *shader = assets_shader(assets, name);
    struct material *material = ARENA_NEW(&assets->arena, struct material);
    shader_material(shader, material);
    return material;
}

void assets_hold_shader(struct assets *assets, const struct shader *shader)
{
    struct material *material = ARENA_NEW(&assets->arena, struct material);
    shader_material(shader, material);
    material->name = shader->name;
    arrput(assets->held, material);
}

static struct material *load_shader_material(struct assets *assets, const char *name,
                                             const char *clean)
{
    bool whole = strncmp(clean, "textures/", strlen("textures/")) == 0;
    struct arena scratch = {0};
    const char *shader = whole ? name : arena_printf(&scratch, "textures/%s", name);
    struct material *material = material_of_shader(assets, shader);
    arena_free(&scratch);
    material->name = arena_strdup(&assets->arena, name);
    /* One that is missing is held as the material that sides have. */
    for (size_t i = 0; i < arrlenu(assets->held); i++)
        if (assets->held[i]->quake3 == material->quake3)
            assets->held[i] = material;
    return material;
}

/* Without a game: a tool texture of Quake 3, which no built-in set of Source has. */
static bool is_quake3_tool(struct assets *assets, const char *clean)
{
    struct arena scratch = {0};
    bool known =
        !assets->paths.gameinfo && !builtin_material(clean) &&
        !texdata_find(&assets->catalogue, clean) &&
        strncmp(clean, "common/", strlen("common/")) == 0 &&
        shader_set_defines(assets_shaders(assets), arena_printf(&scratch, "textures/%s", clean));
    arena_free(&scratch);
    return known;
}

static struct material *load_material(struct assets *assets, const char *name, const char *clean)
{
    if (assets->quake3 || is_quake3_tool(assets, clean))
        return load_shader_material(assets, name, clean);
    struct material *material = ARENA_NEW(&assets->arena, struct material);
    set_looks(material, MISSING_SIZE, MISSING_SIZE, MISSING_REFLECTIVITY);
    material->contents = CONTENTS_SOLID;
    material->shader = material->surface_prop = "";
    material->origin = MATERIAL_MISSING;
    bool found =
        load_game_material(assets, clean, material) || apply_known(assets, clean, material);
    material->name = arena_strdup(&assets->arena, name);
    if (!found && assets->holds)
        arrput(assets->held, material);
    else if (!found)
        diag_report(assets->env->diag, DIAG_MATERIAL_MISSING, NULL, "\"%s\"", name);
    return material;
}

const struct material *assets_material(struct assets *assets, const char *name)
{
    /* The sides of a brush mostly have one. */
    if (assets->last_material && strcmp(assets->last_material->name, name) == 0)
        return assets->last_material;
    struct arena scratch = {0};
    const char *clean = asset_material_name(&scratch, name);
    if (!clean)
        clean = ""; /* a name that leaves its mount is one that no mount has */
    if (!assets->materials)
        sh_new_strdup(assets->materials);
    struct material *material = shget(assets->materials, clean);
    if (!material) {
        material = load_material(assets, name, clean);
        shput(assets->materials, clean, material);
    }
    arena_free(&scratch);
    assets->last_material = material;
    return material;
}
