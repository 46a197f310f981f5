#include "common/assets/assets.h"

#include "common/assets/assets_lookups.h"
#include "common/assets/assets_options.h"
#include "common/assets/materials/material_set.h"
#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/mounts/content_scope.h"
#include "common/assets/mounts/disk_path.h"
#include "common/assets/mounts/quake3_paths.h"
#include "common/assets/mounts/search_paths.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/materials.def"
#include "common/diag/codes/pk3.def"
#include "common/text/keyvalues.h"

/* Names that were asked for, in order: one of enum asked_kind and the name. */
struct asked_name {
    char *key;
    bool value;
};

enum { USUAL_KEY = 128 }; /* bytes */

enum asked_kind {
    ASKED_MATERIAL = 'm',
    ASKED_SHADER = 's',
    ASKED_BLOCK = 'b',
    ASKED_DEFINED = 'd',
    ASKED_HOLD = 'h',
    ASKED_RELEASE = 'r'
};

struct assets {
    struct env own; /* a copy, whose messages can be dropped */
    const struct env *env;
    struct asked_name *asked; /* stb_ds map, which has its texts */
    struct asked_name *since; /* the same, of what was asked since assets_begin_names */
    bool has_reported;        /* something was reported of what was asked for */
    struct assets_watch watch;
    struct arena arena;
    struct search_paths paths;
    struct texdata catalogue;
    bool has_catalogue;
    bool has_shaders; /* names mean shaders */
    struct material_set *materials;
    struct bytes options; /* assets_options_write */
};

/* Returns true for a folder of a Source game, or anything that cannot be of Quake 3. */
static bool is_source(const struct env *env, const char *game, struct arena *arena)
{
    const char *path = disk_path_clean(arena, game);
    enum fs_kind kind = env->fs->ops->kind(env->fs, path);
    return kind == FS_FILE || (kind == FS_DIRECTORY &&
                               disk_path_find(env->fs, env->diag, arena, path, "gameinfo.txt"));
}

static enum status report_quake3_missing(const struct env *env, const char *game,
                                         struct arena *arena)
{
    bool is_absent = env->fs->ops->kind(env->fs, disk_path_clean(arena, game)) == FS_ABSENT;
    return diag_report(env->diag, DIAG_QUAKE3_MISSING, &(struct diag_where){.file = game}, "%s%s",
                       is_absent ? "no such folder, and no known game has that name"
                                 : "neither it nor a folder in it is a game folder: "
                                   "there are no packs (.pk3) or scripts",
                       is_absent ? path_absent_hint(game) : "");
}

/* Mounts the game of either family. */
static enum status open_game(struct assets *assets, const struct assets_options *options)
{
    const struct env *env = assets->env;
    struct quake3_paths places = {0};
    assets->has_shaders = options->has_shaders;
    if (options->game && is_source(env, options->game, &assets->arena)) {
        assets->has_shaders = false;
        return search_paths_read(env, options->game, &assets->arena, &assets->paths);
    }
    if (!quake3_paths_find(env, options, &assets->arena, &places)) {
        if (options->game && options->has_shaders)
            return report_quake3_missing(env, options->game, &assets->arena);
        return options->game ? search_paths_read(env, options->game, &assets->arena, &assets->paths)
                             : STATUS_OK;
    }
    assets->has_shaders = true;
    enum status status = STATUS_OK;
    if (!places.found && options->game)
        status =
            diag_report(env->diag, DIAG_QUAKE3_MISSING, &(struct diag_where){.file = options->game},
                        "%s", quake3_paths_missing(options, &places, &assets->arena));
    else
        quake3_mount(env, options, &places, &assets->arena, &assets->paths.mounts);
    quake3_paths_free(&places);
    return status;
}

static enum status read_catalogue(struct assets *assets, const char *path)
{
    const struct env *env = assets->env;
    struct bytes text = {0};
    enum status status = fs_load(env->fs, env->diag, path, &text);
    if (status == STATUS_OK)
        texdata_parse(&assets->catalogue, (const char *)text.data, text.size, path, env->diag);
    bytes_free(&text);
    return status;
}

/* Rows that are listed already stay as they are, so the map's own catalogue comes last. */
static enum status read_catalogues(struct assets *assets, const struct assets_options *options)
{
    const char *own = assets->has_shaders ? NULL : options->map_catalogue;
    for (size_t i = 0; i < options->texdata_count; i++)
        TRY(read_catalogue(assets, options->texdata[i]));
    if (!own)
        return STATUS_OK;
    size_t before = texdata_count(&assets->catalogue);
    assets->catalogue.stated = true;
    TRY(read_catalogue(assets, own));
    diag_report(assets->env->diag, DIAG_MAP_CATALOGUE, &(struct diag_where){.file = own},
                "%zu materials are as it says, unless the game has them",
                texdata_count(&assets->catalogue) - before);
    return STATUS_OK;
}

enum status assets_open(const struct env *env, const struct assets_options *options,
                        struct assets **out)
{
    struct assets *assets = memory_zalloc(1, sizeof *assets);
    assets->own = *env;
    assets->env = env = &assets->own;
    sh_new_strdup(assets->asked);
    sh_new_strdup(assets->since);
    assets->has_catalogue = options->texdata_count > 0 || options->map_catalogue;
    assets_options_write(options, &assets->options);
    enum status status = search_paths_insert(env, options->search_paths, options->search_path_count,
                                             &assets->arena, &assets->paths);
    if (status == STATUS_OK)
        status = open_game(assets, options);
    if (status == STATUS_OK)
        status = read_catalogues(assets, options);
    if (status == STATUS_OK) {
        assets->materials =
            material_set_new(&(struct material_source){.env = env,
                                                       .paths = &assets->paths,
                                                       .catalogue = &assets->catalogue,
                                                       .has_shaders = assets->has_shaders,
                                                       .sizes_only = options->sizes_only,
                                                       .parms = options->parms});
    } else {
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
    mounts_free(assets->paths.mounts);
    texdata_free(&assets->catalogue);
    material_set_free(assets->materials);
    shfree(assets->asked);
    shfree(assets->since);
    arena_free(&assets->arena);
    bytes_free(&assets->options);
    memory_free(assets);
}

const struct bytes *assets_opened_with(const struct assets *assets)
{
    return &assets->options;
}

void assets_mount_first(struct assets *assets, struct mount *mount)
{
    arrins(assets->paths.mounts, 0, mount);
}

void assets_unmount(struct assets *assets, struct mount *mount)
{
    for (size_t i = 0; i < assets_mounts(assets); i++)
        if (assets->paths.mounts[i] == mount) {
            arrdel(assets->paths.mounts, i);
            mount->ops->free(mount);
            return;
        }
}

bool assets_read(struct assets *assets, const char *name, struct bytes *out)
{
    struct arena scratch = {0};
    const char *clean = asset_name(&scratch, name);
    bool found = clean && mounts_read(assets->paths.mounts, clean, out);
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

bool assets_has(const struct assets *assets, size_t mount, const char *name)
{
    struct arena scratch = {0};
    const char *clean = asset_name(&scratch, name);
    bool found = clean && mount_has(assets->paths.mounts[mount], clean);
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

void assets_list(const struct assets *assets, const char *folder, assets_visit *visit,
                 void *context)
{
    mounts_list(assets->paths.mounts, folder, visit, context);
}

const struct env *assets_env(const struct assets *assets)
{
    return assets->env;
}

bool assets_have_shaders(const struct assets *assets)
{
    return assets->has_shaders;
}

bool assets_may_ask(const struct assets *assets, const struct fs_trace_question *question)
{
    struct mount *const *mounts = assets->paths.mounts;
    switch (question->kind) {
    case FS_TRACE_READ:
    case FS_TRACE_KIND:
        return content_scope_has_file(mounts, question->path);
    case FS_TRACE_LIST:
        return content_scope_has_folder(mounts, question->path);
    case FS_TRACE_PART:
        return content_scope_has_range(mounts, question->path, question->offset, question->size);
    case FS_TRACE_VIEW: /* of a material, by a name that cannot lead out of the mounts */
        return true;
    case FS_TRACE_SIZE:
        break;
    }
    return false;
}

size_t assets_mounts(const struct assets *assets)
{
    return arrlenu(assets->paths.mounts);
}

const char *assets_mount(const struct assets *assets, size_t index)
{
    return assets->paths.mounts[index]->path;
}

const struct kv *assets_gameinfo(const struct assets *assets)
{
    return assets->paths.gameinfo;
}

const char *assets_game_folder(const struct assets *assets)
{
    return assets->paths.folder;
}

const struct kv *assets_instance_path(const struct assets *assets, const struct kv *before)
{
    const struct kv *gameinfo = assets->paths.gameinfo;
    const struct kv *node = before ? before->next : gameinfo ? gameinfo->children : NULL;
    while (node && !(node->value && str_equal_nocase(node->key, "InstancePath")))
        node = node->next;
    return node;
}

/* Notes a key that may be long. Each key of `since` is one of `asked`. */
static void note_key(struct assets *assets, const char *key)
{
    if (shgeti(assets->since, key) >= 0)
        return;
    shput(assets->since, key, true);
    if (shgeti(assets->asked, key) < 0)
        shput(assets->asked, key, true);
}

/* Once for each side of a map, so names of usual length are not allocated. */
static void note_asked(struct assets *assets, enum asked_kind kind, const char *name)
{
    char usual[USUAL_KEY];
    size_t size = strlen(name) + 1;
    char *key = size < sizeof usual ? usual : memory_alloc(size + 1);
    key[0] = (char)kind;
    memcpy(key + 1, name, size);
    note_key(assets, key);
    if (key != usual)
        memory_free(key);
}

static size_t messages(const struct assets *assets)
{
    return diag_entries(assets->own.diag);
}

static const struct material *find_material(struct assets *assets, const char *name)
{
    size_t before = messages(assets);
    const struct material *material = material_set_find(assets->materials, name);
    assets->has_reported |= messages(assets) != before;
    return material;
}

const struct material *assets_material(struct assets *assets, const char *name)
{
    note_asked(assets, ASKED_MATERIAL, name);
    if (!assets->watch.begin)
        return find_material(assets, name);
    assets->watch.begin(assets->watch.context);
    const struct material *material = find_material(assets, name);
    assets->watch.end(assets->watch.context, name, material);
    return material;
}

void assets_watch(struct assets *assets, const struct assets_watch *watch)
{
    assets->watch = *watch;
}

bool assets_has_material(const struct assets *assets, const char *name)
{
    return material_set_has(assets->materials, name);
}

bool assets_has_content(const struct assets *assets)
{
    return assets_mounts(assets) > 0 || (assets->has_catalogue && !assets->has_shaders);
}

void assets_hold_missing(struct assets *assets)
{
    note_asked(assets, ASKED_HOLD, "");
    material_set_hold(assets->materials);
}

const struct material **assets_release_missing(struct assets *assets)
{
    note_asked(assets, ASKED_RELEASE, "");
    const struct material **missing = material_set_release(assets->materials);
    assets->has_reported |= arrlenu(missing) > 0; /* the caller does */
    return missing;
}

bool assets_vmt(const struct assets *assets, const char *name, struct arena *arena,
                struct diag *diag, struct vmt *out)
{
    return vmt_load(assets->paths.mounts, name, arena, diag, out);
}

const struct shader *assets_shader(struct assets *assets, const char *name)
{
    note_asked(assets, ASKED_SHADER, name);
    size_t before = messages(assets);
    const struct shader *shader = shader_set_find(material_set_shaders(assets->materials), name);
    assets->has_reported |= messages(assets) != before;
    return shader;
}

const struct shader_block *assets_shader_block(struct assets *assets, const char *name)
{
    note_asked(assets, ASKED_BLOCK, name);
    size_t before = messages(assets);
    const struct shader_block *block =
        shader_set_block(material_set_shaders(assets->materials), name);
    assets->has_reported |= messages(assets) != before;
    return block;
}

bool assets_defines_shader(struct assets *assets, const char *name)
{
    note_asked(assets, ASKED_DEFINED, name);
    size_t before = messages(assets);
    bool defines = shader_set_defines(material_set_shaders(assets->materials), name);
    assets->has_reported |= messages(assets) != before;
    return defines;
}

bool assets_shader_pixels(struct assets *assets, const struct shader *shader, uint8_t **pixels,
                          int *width, int *height)
{
    return shader_set_pixels(material_set_shaders(assets->materials), shader, pixels, width,
                             height);
}

bool assets_image(struct assets *assets, const char *name, uint8_t **pixels, int *width,
                  int *height)
{
    return shader_set_image(material_set_shaders(assets->materials), name, pixels, width, height);
}

void assets_report_shaders(struct assets *assets, struct diag *diag)
{
    if (assets->has_shaders)
        shader_set_report(material_set_shaders(assets->materials), diag);
}

static void append_names(const struct asked_name *names, struct bytes *out)
{
    bytes_u32(out, (uint32_t)shlenu(names));
    for (size_t i = 0; i < shlenu(names); i++)
        bytes_sized_text(out, names[i].key);
}

void assets_append_names(const struct assets *assets, struct bytes *out)
{
    append_names(assets->asked, out);
}

void assets_begin_names(struct assets *assets)
{
    shfree(assets->since);
    sh_new_strdup(assets->since);
}

void assets_append_names_since(const struct assets *assets, struct bytes *out)
{
    append_names(assets->since, out);
}

bool assets_has_reported(const struct assets *assets)
{
    return assets->has_reported;
}

/* Returns false when nothing is asked so. */
static bool ask_name(struct assets *assets, const char *key)
{
    switch ((enum asked_kind) * key) {
    case ASKED_MATERIAL:
        (void)assets_material(assets, key + 1);
        return true;
    case ASKED_SHADER:
        (void)assets_shader(assets, key + 1);
        return true;
    case ASKED_BLOCK:
        (void)assets_shader_block(assets, key + 1);
        return true;
    case ASKED_DEFINED:
        (void)assets_defines_shader(assets, key + 1);
        return true;
    case ASKED_HOLD:
        assets_hold_missing(assets);
        return true;
    case ASKED_RELEASE: {
        const struct material **missing = assets_release_missing(assets);
        arrfree(missing);
        return true;
    }
    }
    return false;
}

bool assets_look_up_names(struct assets *assets, struct byte_reader *from)
{
    struct diag *diag = assets->own.diag;
    uint32_t count = read_u32(from);
    assets->own.diag = diag_new(NULL, NULL);
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        struct bytes key = {0};
        bool is_read = read_sized_block(from, &key);
        bytes_u8(&key, 0);
        if (!is_read || !ask_name(assets, (const char *)key.data))
            from->failed = true;
        bytes_free(&key);
    }
    diag_free(assets->own.diag);
    assets->own.diag = diag;
    return !from->failed;
}
