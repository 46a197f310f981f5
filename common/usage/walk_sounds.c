/* Sounds: waves, game sounds of soundscripts, soundscapes. */
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/assets/soundscripts.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/keyvalues.h"
#include "common/usage/walk.h"

struct soundscape {
    char *key; /* in lower case */
    const struct kv *block;
    const char *file;
    const char *manifest; /* that lists the file; NULL: the engine finds it by the map's name */
};

struct soundscapes {
    struct soundscape *all; /* stb_ds map */
    struct arena arena;
    bool is_known;
};

static bool is_wave(const char *name)
{
    return str_ends_nocase(name, ".wav") || str_ends_nocase(name, ".mp3") ||
           str_ends_nocase(name, ".ogg");
}

static void use_wave_file(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    struct arena scratch = {0};
    walk_use(walk, USAGE_SOUND, arena_printf(&scratch, "sound/%s", name), "", edge);
    arena_free(&scratch);
}

/* Characters in front of a wave say how it is played. $gender stands for two waves. */
static void use_wave(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    static const char gender[] = "$gender", *const kinds[] = {"male", "female"};
    struct arena scratch = {0};
    name += strspn(name, "*#@><^)}$!?(~");
    const char *mark = strchr(name, '$');
    bool has_gender = mark && str_starts_nocase(mark, gender);
    for (size_t i = 0; has_gender && i < 2; i++)
        use_wave_file(walk,
                      arena_printf(&scratch, "%.*s%s%s", (int)(mark - name), name, kinds[i],
                                   mark + sizeof gender - 1),
                      edge);
    if (!mark && *name)
        use_wave_file(walk, name, edge);
    arena_free(&scratch);
}

/* A script of the mapper's is read because a manifest names it. */
static void use_manifest(struct walk *walk, int64_t script, const char *manifest)
{
    bool is_own = script >= 0 && walk->out->files[script].place == USAGE_OWN;
    struct walk_edge edge = walk_optional(walk_from(walk, script, "listed in"));
    if (is_own && manifest)
        walk_use(walk, USAGE_OTHER, manifest, "", &edge);
}

static void use_game_sound(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    struct soundscript_wave *waves;
    if (!soundscripts_find(walk->sounds, name, &waves)) {
        if (walk->out->knows_sounds && !edge->is_optional)
            walk_miss(walk, "game sound", name, edge);
        return;
    }
    for (size_t i = 0; i < arrlenu(waves); i++) {
        struct walk_edge to_script =
            walk_from(walk, edge->from, "%s, game sound %s", edge->why, name);
        int64_t script = walk_use(walk, USAGE_SOUNDSCRIPT, waves[i].file, "", &to_script);
        bool is_stock = script >= 0 && walk->out->files[script].place == USAGE_STOCK;
        struct walk_edge to_wave = walk_from(walk, script, "wave of %s", name);
        use_manifest(walk, script, "scripts/game_sounds_manifest.txt");
        if (!is_stock)
            use_wave(walk, waves[i].wave, &to_wave);
    }
    arrfree(waves);
}

void use_sound(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    double number;
    if (!*name || *name == '!' || str_to_double(name, &number))
        return; /* nothing, a sentence, one of a few built-in sounds */
    if (is_wave(name))
        use_wave(walk, name, edge);
    else if (walk_first(walk, "sound", name))
        use_game_sound(walk, name, edge);
}

void walk_level_sounds(struct walk *walk, size_t file, const char *detail)
{
    struct bytes text = {0};
    struct arena arena = {0};
    struct kv *root = NULL;
    const char *name = walk->out->files[file].name;
    (void)detail;
    if (walk_read(walk, file, &text) &&
        kv_parse((const char *)text.data, text.size, name, KV_LENIENT, &arena, walk->diag, &root) ==
            STATUS_OK)
        for (const struct kv *sound = root->children; sound; sound = sound->next) {
            struct walk_edge edge = walk_from(walk, (int64_t)file, "wave of %s", sound->key);
            for (const struct kv *pair = sound->value ? NULL : sound->children; pair;
                 pair = pair->next) {
                if (pair->value && str_equal_nocase(pair->key, "wave"))
                    use_wave(walk, pair->value, &edge);
                for (const struct kv *one = pair->value ? NULL : pair->children; one;
                     one = one->next)
                    if (one->value && str_equal_nocase(one->key, "wave"))
                        use_wave(walk, one->value, &edge);
            }
        }
    bytes_free(&text);
    arena_free(&arena);
}

/* ---- soundscapes ---- */

static void use_soundscape_block(struct walk *walk, const struct kv *block, int64_t file, int depth)
{
    enum { BLOCKS_DEEP = 16 };
    for (const struct kv *node = depth < BLOCKS_DEEP ? block->children : NULL; node;
         node = node->next) {
        bool is_other = str_equal_nocase(node->key, "playsoundscape");
        const char *other = is_other && !node->value ? kv_value(node, "name") : NULL;
        struct walk_edge edge = walk_from(walk, file, "%s", node->key);
        if (other)
            use_soundscape(walk, other, &edge);
        else if (!node->value)
            use_soundscape_block(walk, node, file, depth + 1);
        else if (str_equal_nocase(node->key, "wave"))
            use_sound(walk, node->value, &edge);
    }
}

void use_soundscape(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    struct soundscapes *known = walk->soundscapes;
    struct arena scratch = {0};
    ptrdiff_t at = shgeti(known->all, arena_strlower(&scratch, name));
    arena_free(&scratch);
    if (!*name || str_equal_nocase(name, "Nothing"))
        return;
    if (at < 0) {
        if (known->is_known)
            walk_miss(walk, "soundscape", name, edge);
        return;
    }
    if (!walk_first(walk, "soundscape in use", name))
        return;
    struct soundscape found = known->all[at];
    struct walk_edge to_file = walk_from(walk, edge->from, "%s, soundscape %s", edge->why, name);
    int64_t file = walk_use(walk, USAGE_SOUNDSCAPES, found.file, "", &to_file);
    use_manifest(walk, file, found.manifest);
    if (file >= 0 && walk->out->files[file].place != USAGE_STOCK)
        use_soundscape_block(walk, found.block, file, 0);
}

static const struct kv *read_soundscapes(struct walk *walk, const char *file)
{
    struct bytes text = {0};
    struct kv *root = NULL;
    if (assets_read(walk->assets, file, &text) &&
        kv_parse((const char *)text.data, text.size, file, KV_LENIENT, &walk->soundscapes->arena,
                 walk->diag, &root) != STATUS_OK)
        root = NULL;
    bytes_free(&text);
    return root;
}

static void add_soundscapes(struct walk *walk, const char *file, const char *manifest)
{
    struct soundscapes *known = walk->soundscapes;
    const struct kv *root =
        walk_first(walk, "soundscapes", file) ? read_soundscapes(walk, file) : NULL;
    for (const struct kv *one = root ? root->children : NULL; one; one = one->next) {
        const char *key = arena_strlower(&known->arena, one->key);
        if (one->value || shgeti(known->all, key) >= 0)
            continue;
        struct soundscape entry = {(char *)key, one, file, manifest};
        shputs(known->all, entry);
    }
}

void walk_level_soundscapes(struct walk *walk, size_t file, const char *detail)
{
    struct soundscapes *known = walk->soundscapes;
    const char *name = walk->out->files[file].name;
    (void)detail;
    for (size_t i = 0; i < shlenu(known->all); i++)
        if (strcmp(known->all[i].file, name) == 0)
            use_soundscape_block(walk, known->all[i].block, (int64_t)file, 0);
}

static void begin_soundscapes(struct walk *walk)
{
    static const char manifest[] = "scripts/soundscapes_manifest.txt";
    struct soundscapes *known = walk->soundscapes = memory_zalloc(1, sizeof *known);
    sh_new_strdup(known->all);
    add_soundscapes(
        walk,
        asset_name(&known->arena,
                   arena_printf(&known->arena, "scripts/soundscapes_%s.txt", walk->options->map)),
        NULL);
    const struct kv *root = read_soundscapes(walk, manifest);
    const struct kv *list = root ? root->children : NULL;
    for (const struct kv *file = list ? list->children : NULL; file; file = file->next) {
        const char *name = file->value ? asset_name(&known->arena, file->value) : NULL;
        if (name)
            add_soundscapes(walk, name, manifest);
    }
    known->is_known = list != NULL;
}

void sounds_begin(struct walk *walk)
{
    walk->sounds =
        soundscripts_read_some(walk->assets, walk->options->map, &walk->out->knows_sounds);
    begin_soundscapes(walk);
}

void sounds_end(struct walk *walk)
{
    soundscripts_free(walk->sounds);
    shfree(walk->soundscapes->all);
    arena_free(&walk->soundscapes->arena);
    memory_free(walk->soundscapes);
}
