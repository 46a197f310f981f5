#include "common/assets/soundscripts.h"

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/keyvalues.h"

struct game_sound {
    const struct kv *block;
    const char *file;
};

struct soundscripts {
    struct assets *assets;
    struct diag *diag; /* of the scripts, which are not the mapper's */
    struct arena arena;
    struct {
        char *key; /* in lower case */
        struct game_sound value;
    } *sounds; /* stb_ds map */
    struct {
        char *key; /* of asset_name */
        bool value;
    } *files; /* stb_ds map: those that were read */
    bool is_damaged;
};

/* Returns the root of a file; NULL when there is none, or when it does not parse. */
static const struct kv *read_file(struct soundscripts *scripts, const char *file)
{
    struct bytes text = {0};
    struct kv *root = NULL;
    size_t reports = diag_entries(scripts->diag);
    if (!assets_read(scripts->assets, file, &text))
        return NULL;
    enum status status = kv_parse((const char *)text.data, text.size, file, KV_LENIENT,
                                  &scripts->arena, scripts->diag, &root);
    bytes_free(&text);
    if (status == STATUS_OK && diag_entries(scripts->diag) == reports)
        return root;
    scripts->is_damaged = true;
    return NULL;
}

/* The first script that defines a game sound counts, but for those of a map. */
static void add_file(struct soundscripts *scripts, const char *named, bool replaces)
{
    const char *file = asset_name(&scripts->arena, named);
    if (!file || shgeti(scripts->files, file) >= 0)
        return;
    shput(scripts->files, file, true);
    const struct kv *root = read_file(scripts, file);
    for (const struct kv *sound = root ? root->children : NULL; sound; sound = sound->next) {
        const char *name = arena_strlower(&scripts->arena, sound->key);
        if (!sound->value && (replaces || shgeti(scripts->sounds, name) < 0))
            shput(scripts->sounds, name, ((struct game_sound){sound, file}));
    }
}

static bool add_manifest(struct soundscripts *scripts, const char *manifest)
{
    const struct kv *root = read_file(scripts, manifest);
    for (const struct kv *block = root ? root->children : NULL; block; block = block->next)
        for (const struct kv *entry = block->children; entry; entry = entry->next)
            if (entry->value)
                add_file(scripts, entry->value, false);
    return root != NULL;
}

static void see_any(void *context, const char *name)
{
    (void)name;
    *(bool *)context = true;
}

static bool has_other_makers(struct soundscripts *scripts, const char *map)
{
    bool has_lua = false;
    struct bytes text = {0};
    assets_list(scripts->assets, "lua/autorun", see_any, &has_lua);
    assets_list(scripts->assets, "lua/includes", see_any, &has_lua);
    bool has_manifest = assets_read(
        scripts->assets, arena_printf(&scripts->arena, "maps/%s_manifest.txt", map), &text);
    bytes_free(&text);
    return has_lua || has_manifest;
}

struct soundscripts *soundscripts_read_some(struct assets *assets, const char *map, bool *is_known)
{
    struct soundscripts *scripts = memory_zalloc(1, sizeof *scripts);
    scripts->assets = assets;
    scripts->diag = diag_new(NULL, NULL);
    sh_new_strdup(scripts->sounds);
    sh_new_strdup(scripts->files);
    *is_known = add_manifest(scripts, "scripts/game_sounds_manifest.txt");
    *is_known |= add_manifest(scripts, "scripts/soundscripts_manifest.txt");
    add_file(scripts, arena_printf(&scripts->arena, "maps/%s_level_sounds.txt", map), true);
    *is_known = *is_known && !scripts->is_damaged && !has_other_makers(scripts, map);
    return scripts;
}

struct soundscripts *soundscripts_read(struct assets *assets, const char *map)
{
    bool is_known;
    struct soundscripts *scripts = soundscripts_read_some(assets, map, &is_known);
    if (is_known)
        return scripts;
    soundscripts_free(scripts);
    return NULL;
}

void soundscripts_free(struct soundscripts *scripts)
{
    if (!scripts)
        return;
    shfree(scripts->sounds);
    shfree(scripts->files);
    arena_free(&scripts->arena);
    diag_free(scripts->diag);
    memory_free(scripts);
}

static void add_waves(const struct kv *block, const char *file, struct soundscript_wave **waves)
{
    for (const struct kv *pair = block->children; pair; pair = pair->next)
        if (str_equal_nocase(pair->key, "wave") && pair->value)
            arrput(*waves, ((struct soundscript_wave){pair->value, file, pair->line}));
}

bool soundscripts_find(struct soundscripts *scripts, const char *name,
                       struct soundscript_wave **waves)
{
    struct arena arena = {0};
    *waves = NULL;
    ptrdiff_t index = shgeti(scripts->sounds, arena_strlower(&arena, name));
    arena_free(&arena);
    if (index < 0)
        return false;
    const struct game_sound *sound = &scripts->sounds[index].value;
    add_waves(sound->block, sound->file, waves);
    for (const struct kv *pair = sound->block->children; pair; pair = pair->next)
        if (str_equal_nocase(pair->key, "rndwave"))
            add_waves(pair, sound->file, waves);
    return true;
}
