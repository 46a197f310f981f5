#include "common/usage/walk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/assets/mounts/disk_path.h"
#include "common/bsp/engine.h"
#include "common/bsp/engine_content.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"
#include "common/usage/usage.h"

/* Files are few thousand in large maps; hostile ones end here. */
enum { MOST_ITEMS = 1 << 20 };

typedef void walker(struct walk *walk, size_t file, const char *detail);

static const struct {
    const char *name;
    walker *walk; /* NULL: names no other files */
} kinds[USAGE_KINDS] = {
    [USAGE_MATERIAL] = {"material", walk_material},
    [USAGE_MATERIAL_BASE] = {"base material", NULL},
    [USAGE_TEXTURE] = {"texture", NULL},
    [USAGE_MODEL] = {"model", walk_model},
    [USAGE_MODEL_PART] = {"part of a model", NULL},
    [USAGE_SOUND] = {"sound", NULL},
    [USAGE_SOUNDSCRIPT] = {"soundscript", NULL},
    [USAGE_LEVEL_SOUNDS] = {"soundscript", walk_level_sounds},
    [USAGE_SOUNDSCAPES] = {"soundscapes", NULL},
    [USAGE_LEVEL_SOUNDSCAPES] = {"soundscapes", walk_level_soundscapes},
    [USAGE_SCENE] = {"scene", walk_scene},
    [USAGE_RESPONSES] = {"response rules", walk_responses},
    [USAGE_PARTICLES] = {"particles", walk_effect},
    [USAGE_PARTICLE_LIST] = {"list of particles", walk_effect_list},
    [USAGE_SCRIPT] = {"script", walk_script},
    [USAGE_CONFIG] = {"console commands", walk_config},
    [USAGE_OVERVIEW] = {"overview", walk_overview},
    [USAGE_SHADER] = {"shader", NULL},
    [USAGE_MD3] = {"model", NULL},
    [USAGE_ARENA] = {"block", NULL},
    [USAGE_OTHER] = {"file", NULL},
    [USAGE_NAME] = {"name", NULL},
};

const char *usage_kind_name(enum usage_kind kind)
{
    return kinds[kind].name;
}

struct walk_edge walk_from(struct walk *walk, int64_t from, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct walk_edge edge = {from, arena_vprintf(&walk->out->arena, format, args), false};
    va_end(args);
    return edge;
}

struct walk_edge walk_optional(struct walk_edge edge)
{
    edge.is_optional = true;
    return edge;
}

bool walk_first(struct walk *walk, const char *what, const char *name)
{
    struct arena scratch = {0};
    const char *key = arena_strlower(&scratch, arena_printf(&scratch, "%s\n%s", what, name));
    bool is_first = shgeti(walk->done, key) < 0;
    if (is_first)
        shput(walk->done, key, 0);
    arena_free(&scratch);
    return is_first;
}

/* The name is clean. */
static bool is_in_stock(const struct walk *walk, const char *name)
{
    const struct usage_stock *stock = walk->options->stock;
    size_t count = assets_mounts(walk->assets);
    if (stock && stock->names) {
        struct usage_stock *map = (struct usage_stock *)stock; /* look-ups write to the map */
        if (shgeti(map->names, name) >= 0)
            return true;
    }
    for (size_t i = 0; stock && i < arrlenu(stock->mounts); i++)
        if (mount_has(stock->mounts[i], name))
            return true;
    for (size_t i = 0; i < count; i++)
        if (walk->is_stock_mount[i] && assets_has(walk->assets, i, name))
            return true;
    return false;
}

/* The first mount that has it, which is not the game's; or -1. */
static int64_t own_mount(const struct walk *walk, const char *name)
{
    for (size_t i = 0; i < assets_mounts(walk->assets); i++)
        if (!walk->is_stock_mount[i] && assets_has(walk->assets, i, name))
            return (int64_t)i;
    return USAGE_NO_MOUNT;
}

/* All games have these, also when none is at hand. */
static bool is_of_all_games(const char *name)
{
    return str_starts_nocase(name, "materials/tools/");
}

/* Appends the bytes of the game's file. Returns false when its name alone is known. */
static bool read_stock(const struct walk *walk, const char *name, struct bytes *out)
{
    const struct usage_stock *stock = walk->options->stock;
    if (stock && mounts_read(stock->mounts, name, out))
        return true;
    for (size_t i = 0; i < assets_mounts(walk->assets); i++)
        if (walk->is_stock_mount[i] && assets_read_from(walk->assets, i, name, out))
            return true;
    return false;
}

/* Of a packed file that the game has, too. */
static void compare(const struct walk *walk, struct usage_file *file)
{
    struct bytes packed = {0}, stock = {0};
    if (read_stock(walk, file->name, &stock) &&
        assets_read_from(walk->assets, 0, file->name, &packed)) {
        file->is_copy = bytes_equal(&packed, &stock);
        file->is_changed = !file->is_copy;
    }
    bytes_free(&packed);
    bytes_free(&stock);
}

bool walk_excludes(const struct walk *walk, const char *name)
{
    const struct usage_options *options = walk->options;
    for (size_t i = 0; i < options->exclude_count; i++)
        if (asset_pattern_matches(options->exclude[i], name))
            return true;
    return false;
}

/* In Quake 3 the first mount that has the file decides whose it is: packs replace each other. */
static enum usage_place place_in_packs(const struct walk *walk, const char *name, int64_t *mount)
{
    const size_t count = assets_mounts(walk->assets);
    size_t at = 0;
    while (at < count && !assets_has(walk->assets, at, name))
        at++;
    *mount = at < count ? (int64_t)at : USAGE_NO_MOUNT;
    if (at == count)
        return USAGE_MISSING;
    if (walk_excludes(walk, name))
        return USAGE_EXCLUDED;
    return walk->is_stock_mount[at] ? USAGE_STOCK : USAGE_OWN;
}

/* Returns false when the file is nowhere. */
static bool place(const struct walk *walk, struct usage_file *file)
{
    if (walk->is_in_packs) {
        file->place = place_in_packs(walk, file->name, &file->mount);
        return file->place != USAGE_MISSING;
    }
    file->mount = own_mount(walk, file->name);
    file->is_stock =
        is_in_stock(walk, file->name) || (file->mount < 0 && is_of_all_games(file->name));
    bool is_packed = walk->options->has_pakfile && file->mount == 0;
    file->is_shadowed = file->is_stock && file->mount >= 0 && !is_packed;
    if (is_packed && file->is_stock)
        compare(walk, file);
    file->place = is_packed          ? USAGE_PACKED
                  : file->is_stock   ? USAGE_STOCK
                  : file->mount >= 0 ? USAGE_OWN
                                     : USAGE_MISSING;
    return file->place != USAGE_MISSING;
}

static int64_t find_or_add(struct walk *walk, enum usage_kind kind, const char *clean,
                           const struct walk_edge *edge)
{
    ptrdiff_t known = shgeti(walk->names, clean);
    if (known >= 0)
        return (int64_t)walk->names[known].value;
    struct usage_file file = {.name = clean,
                              .kind = kind,
                              .place = USAGE_MISSING,
                              .from = edge->from,
                              .why = edge->why,
                              .mount = USAGE_NO_MOUNT};
    bool is_absent = shgeti(walk->absent, clean) >= 0;
    if (is_absent && edge->is_optional)
        return -1;
    if (is_absent || !place(walk, &file)) {
        shput(walk->absent, clean, 0);
        if (edge->is_optional)
            return -1;
    }
    arrput(walk->out->files, file);
    shput(walk->names, clean, arrlenu(walk->out->files) - 1);
    return (int64_t)arrlenu(walk->out->files) - 1;
}

int64_t walk_use(struct walk *walk, enum usage_kind kind, const char *name, const char *detail,
                 const struct walk_edge *edge)
{
    struct arena *arena = &walk->out->arena;
    const char *clean = asset_name(arena, name);
    int64_t index = clean ? find_or_add(walk, kind, clean, edge) : -1;
    if (index < 0)
        return -1;
    enum usage_place found = walk->out->files[index].place;
    bool is_walked = kinds[kind].walk && (found == USAGE_OWN || found == USAGE_PACKED);
    const char *what = arena_printf(arena, "%d %s", (int)kind, detail);
    if (!is_walked || arrlenu(walk->items) >= MOST_ITEMS || !walk_first(walk, what, clean))
        return index;
    if (walk->out->files[index].kind == USAGE_MATERIAL_BASE)
        walk->out->files[index].kind = kind;
    arrput(walk->items, ((struct walk_item){(size_t)index, kind, arena_strdup(arena, detail)}));
    return index;
}

int64_t walk_define(struct walk *walk, enum usage_kind kind, const char *name, const char *file,
                    const struct walk_edge *edge)
{
    struct usage_file one = {.name = name,
                             .kind = kind,
                             .place = USAGE_MISSING,
                             .from = edge->from,
                             .why = edge->why,
                             .mount = USAGE_NO_MOUNT};
    if (walk_excludes(walk, name))
        one.place = USAGE_EXCLUDED;
    else if (file)
        one.place = place_in_packs(walk, file, &one.mount);
    arrput(walk->out->files, one);
    return (int64_t)arrlenu(walk->out->files) - 1;
}

void walk_miss(struct walk *walk, const char *what, const char *name, const struct walk_edge *edge)
{
    if (!walk_first(walk, what, name))
        return;
    struct usage_file file = {.name = arena_printf(&walk->out->arena, "%s \"%s\"", what, name),
                              .kind = USAGE_NAME,
                              .place = USAGE_MISSING,
                              .from = edge->from,
                              .why = edge->why,
                              .mount = USAGE_NO_MOUNT};
    arrput(walk->out->files, file);
}

bool walk_has(struct walk *walk, const char *name)
{
    struct arena scratch = {0};
    const char *clean = asset_name(&scratch, name);
    bool has = clean && (shgeti(walk->names, clean) >= 0
                             ? walk->out->files[shget(walk->names, clean)].place != USAGE_MISSING
                             : own_mount(walk, clean) >= 0 || is_in_stock(walk, clean));
    arena_free(&scratch);
    return has;
}

bool walk_read(const struct walk *walk, size_t file, struct bytes *out)
{
    const struct usage_file *of = &walk->out->files[file];
    return of->mount >= 0 && assets_read_from(walk->assets, (size_t)of->mount, of->name, out);
}

static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    while (length && folder[length - 1] == '/')
        length--;
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]);
}

/* A pack that comes with Quake 3: pak0.pk3, pak6-misc.pk3. */
static bool is_pack_of_game(const char *name)
{
    return str_starts_nocase(name, "pak") && isdigit((unsigned char)name[3]) &&
           str_ends_nocase(name, ".pk3");
}

/* Loose files of the game's own folder, of custom/ in it and of search paths are the mapper's.
 * Archives are the game's, but for those in custom/, and so are folders of other games. */
static bool is_stock(const struct walk *walk, size_t mount)
{
    const struct usage_options *options = walk->options;
    const char *path = assets_mount(walk->assets, mount);
    if (walk->is_in_packs)
        return !options->with_game && is_pack_of_game(path_name(path));
    const char *game = assets_game_folder(walk->assets);
    for (size_t i = 0; options->stock && i < arrlenu(options->stock->mounts); i++)
        if (strcmp(options->stock->mounts[i]->path, path) == 0)
            return true;
    for (size_t i = 0; i < options->own_path_count; i++)
        if (is_below(path, options->own_paths[i]))
            return false;
    if (!game)
        return false;
    if (str_ends_nocase(path, ".vpk"))
        return !is_below(path, game) || !str_starts_nocase(path + strlen(game), "/custom/");
    return !is_below(path, game);
}

static void begin(struct walk *walk)
{
    size_t count = assets_mounts(walk->assets);
    sh_new_strdup(walk->names);
    sh_new_strdup(walk->absent);
    sh_new_strdup(walk->done);
    walk->is_stock_mount = memory_zalloc(count + 1, sizeof *walk->is_stock_mount);
    for (size_t i = 0; i < count; i++)
        walk->is_stock_mount[i] = !(walk->options->has_pakfile && i == 0) && is_stock(walk, i);
    if (entities_parse(walk->bsp->entities, arrlenu(walk->bsp->entities), "entities", walk->diag,
                       &walk->entities) != STATUS_OK)
        arrsetlen(walk->entities.entities, 0);
}

static void end(struct walk *walk)
{
    entities_free(&walk->entities);
    shfree(walk->names);
    shfree(walk->absent);
    shfree(walk->done);
    arrfree(walk->items);
    memory_free(walk->is_stock_mount);
}

/* Files that the engine takes from a pakfile without a name in the map: light of
 * props, cubemaps; and the materials that compilers have made of others for these. */
static bool is_of_engine(const struct walk *walk, const char *name)
{
    struct arena scratch = {0};
    const char *folder = arena_printf(&scratch, "materials/maps/%s/", walk->options->map);
    bool is = str_ends_nocase(name, ".vhv") || str_ends_nocase(name, ".ppl") ||
              str_starts_nocase(name, folder) ||
              (str_ends_nocase(name, ".vtf") && strstr(name, "/cubemapdefault")) ||
              strcmp(name, "__preload_section.pre") == 0; /* of consoles */
    arena_free(&scratch);
    return is;
}

static void find_unneeded(struct walk *walk, const struct pakfile *pakfile)
{
    struct usage *out = walk->out;
    for (size_t i = 0; pakfile && i < arrlenu(pakfile->files); i++) {
        const char *name = asset_name(&out->arena, pakfile->files[i].name);
        if (name && shgeti(walk->names, name) < 0 && !is_of_engine(walk, name))
            arrput(out->unneeded, name);
    }
    if (!out->unneeded)
        return;
    qsort(out->unneeded, arrlenu(out->unneeded), sizeof *out->unneeded, str_compare_items);
    size_t kept = 1; /* a name may be there twice */
    for (size_t i = 1; i < arrlenu(out->unneeded); i++)
        if (strcmp(out->unneeded[i], out->unneeded[kept - 1]) != 0)
            out->unneeded[kept++] = out->unneeded[i];
    arrsetlen(out->unneeded, kept);
}

static void walk_source(struct walk *walk)
{
    sounds_begin(walk);
    effects_begin(walk);
    walk_map(walk);
    walk_entities(walk);
    for (; walk->next < arrlenu(walk->items); walk->next++) {
        struct walk_item item = walk->items[walk->next];
        kinds[item.kind].walk(walk, item.file, item.detail);
    }
    sounds_end(walk);
    effects_end(walk);
}

void usage_find(struct assets *assets, const struct bsp *bsp, const struct pakfile *pakfile,
                const struct usage_options *options, struct usage *out)
{
    struct walk walk = {.assets = assets,
                        .bsp = bsp,
                        .options = options,
                        .out = out,
                        .is_in_packs = bsp->engine->content->packs_in_pk3,
                        .diag = assets_env(assets)->diag};
    *out = (struct usage){0};
    begin(&walk);
    if (walk.is_in_packs)
        walk_quake3(&walk);
    else
        walk_source(&walk);
    find_unneeded(&walk, pakfile);
    end(&walk);
}

void usage_free(struct usage *usage)
{
    arrfree(usage->files);
    arrfree(usage->unneeded);
    arena_free(&usage->arena);
}

const char *usage_reason(const struct usage *usage, size_t file, struct arena *arena)
{
    enum { MOST = 32 }; /* an edge leads to a file that was found before, so that chains end */
    const struct usage_file *of = &usage->files[file];
    const char *text = of->why;
    for (int i = 0; of->from >= 0 && i < MOST; i++) {
        of = &usage->files[of->from];
        text = arena_printf(arena, "%s -> %s %s", of->why, of->name, text);
    }
    return text;
}

/* --- lists of what a game has --- */

/* Lists of programs that print archives may have more in a line: `name crc=0x...`. */
static size_t name_length(const char *line, size_t length)
{
    static const char after[] = " crc=";
    for (size_t i = 0; i + sizeof after - 1 <= length; i++)
        if (memcmp(line + i, after, sizeof after - 1) == 0)
            return i;
    return length;
}

static void add_names(struct usage_stock *stock, const struct bytes *text)
{
    struct arena arena = {0};
    const char *at = (const char *)text->data, *end = at + text->size;
    while (text->size && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        size_t length = name_length(at, (size_t)((stop ? stop : end) - at));
        while (length && (unsigned char)at[length - 1] <= ' ')
            length--;
        const char *name = asset_name(&arena, arena_strndup(&arena, at, length));
        if (name)
            shput(stock->names, name, true);
        arena_reset(&arena);
        at = next;
    }
    arena_free(&arena);
}

static enum status open_one(const struct env *env, const char *path, struct usage_stock *out)
{
    enum fs_kind kind = fs_look_at(env->fs, env->diag, path);
    if (kind == FS_DIRECTORY) {
        arrput(out->mounts, mount_folder(env->fs, path, env->diag));
        return STATUS_OK;
    }
    if (kind == FS_FILE && str_ends_nocase(path, ".vpk")) {
        struct mount *mount = mount_vpk(env->fs, path, env->diag);
        if (mount)
            arrput(out->mounts, mount);
        return mount ? STATUS_OK : STATUS_FAILED;
    }
    struct bytes text = {0};
    enum status status = fs_load(env->fs, env->diag, path, &text);
    add_names(out, &text);
    bytes_free(&text);
    return status;
}

enum status usage_stock_open(const struct env *env, const char *const *paths, size_t count,
                             struct usage_stock *out)
{
    enum status status = STATUS_OK;
    *out = (struct usage_stock){0};
    sh_new_strdup(out->names);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = open_one(env, paths[i], out);
    return status;
}

void usage_stock_free(struct usage_stock *stock)
{
    mounts_free(stock->mounts);
    shfree(stock->names);
}
