#include "common/assets/map_resources.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/assets/models/mesh_model.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/shaders/shader_script.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"
#include "common/text/entities.h"
#include "common/text/lexer.h"

struct seen {
    char *key;
    bool value;
};

struct trimmed {
    const char *name;
    const struct shader_block *block;
};

struct collector {
    struct assets *assets;
    struct diag *diag;
    const struct map_resource_options *options;
    struct map_resources *out;
    struct seen *files,
        *shaders;            /* stb_ds maps: names that were added; of files, whether they exist */
    struct trimmed *scripts; /* stb_ds array */
};

/* Returns true when the name is seen for the first time. */
static bool is_new(struct seen **set, const char *name)
{
    if (shgeti(*set, name) >= 0)
        return false;
    shput(*set, name, true);
    return true;
}

static bool is_excluded(const struct collector *collector, const char *name)
{
    const struct map_resource_options *options = collector->options;
    for (size_t i = 0; i < options->exclude_count; i++)
        if (asset_pattern_matches(options->exclude[i], name))
            return true;
    return false;
}

/* Returns true for a pack that comes with a game: pak0.pk3, pak6-misc.pk3. */
static bool is_of_game(const struct collector *collector, size_t mount)
{
    const char *name = path_name(assets_mount(collector->assets, mount));
    return !collector->options->with_game && str_starts_nocase(name, "pak") &&
           isdigit((unsigned char)name[3]) && str_ends_nocase(name, ".pk3");
}

/* Adds the file if it exists and is not one of the game's. Returns false when it is missing. */
static bool add_file(struct collector *collector, const char *name)
{
    struct map_resources *out = collector->out;
    struct bytes data = {0};
    size_t mount;
    const char *clean = asset_name(&out->arena, name);
    if (!clean)
        return false;
    ptrdiff_t at = shgeti(collector->files, clean);
    if (at >= 0)
        return collector->files[at].value;
    bool found = assets_find(collector->assets, clean, &data, &mount);
    shput(collector->files, clean, found);
    if (found && is_excluded(collector, clean)) {
        out->excluded++;
    } else if (found && is_of_game(collector, mount)) {
        out->of_game++;
    } else if (found) {
        arrput(out->files, ((struct map_resource){clean, data}));
        data = (struct bytes){0};
    }
    bytes_free(&data);
    return found;
}

/* Adds the file with the first extension that exists, in place of its own. */
static bool add_one_of(struct collector *collector, const char *name, const char *const *endings)
{
    struct arena *arena = &collector->out->arena;
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - name) : strlen(name);
    for (; *endings; endings++)
        if (add_file(collector, arena_printf(arena, "%.*s%s", (int)length, name, *endings)))
            return true;
    return false;
}

static bool add_image(struct collector *collector, const char *name)
{
    static const char *const endings[] = {".tga", ".jpg", ".png", ".bmp", NULL};
    return add_one_of(collector, name, endings);
}

static void missing(struct collector *collector, const char *name, const char *user)
{
    collector->out->missing++;
    (void)diag_report(collector->diag, DIAG_RESOURCE_MISSING, NULL, "\"%s\", used by %s", name,
                      user);
}

/* Adds six images; a box may lack its bottom, which is never visible. */
static void add_sky_box(struct collector *collector, const char *box)
{
    static const char *const sides[] = {"rt", "bk", "lf", "ft", "up", "dn"};
    for (int i = 0; i < 6 && strcmp(box, "-") != 0 && strcmp(box, "full") != 0; i++)
        add_image(collector, arena_printf(&collector->out->arena, "%s_%s", box, sides[i]));
}

static void add_stage_images(struct collector *collector, const struct shader_directive *directive,
                             const char *shader)
{
    const char *keyword = directive->words[0];
    bool animated = str_equal_nocase(keyword, "animmap");
    bool map = str_equal_nocase(keyword, "map") || str_equal_nocase(keyword, "clampmap");
    if (str_equal_nocase(keyword, "videomap") && directive->count > 1)
        add_file(collector,
                 strchr(directive->words[1], '/')
                     ? directive->words[1]
                     : arena_printf(&collector->out->arena, "video/%s", directive->words[1]));
    size_t end = animated ? directive->count : map && directive->count > 1 ? 2 : 0;
    for (size_t i = 1 + animated; i < end; i++) {
        const char *image = directive->words[i];
        if (*image != '$' && *image != '*' && !add_image(collector, image))
            missing(collector, image, shader);
    }
}

static void add_block(struct collector *collector, const char *name,
                      const struct shader_block *block)
{
    struct arena *arena = &collector->out->arena;
    struct shader_cursor cursor = shader_cursor(block);
    struct shader_directive directive;
    while (shader_next_directive(&cursor, arena, &directive)) {
        const char *keyword = directive.words[0];
        if (directive.depth)
            add_stage_images(collector, &directive, name);
        else if (str_equal_nocase(keyword, "skyparms"))
            for (size_t i = 1; i < directive.count; i += 2)
                add_sky_box(collector, directive.words[i]);
    }
    struct bytes script = {0};
    size_t mount;
    if (assets_find(collector->assets, block->file, &script, &mount) &&
        !is_of_game(collector, mount))
        arrput(collector->scripts, ((struct trimmed){name, block}));
    bytes_free(&script);
}

static void add_shader(struct collector *collector, const char *name)
{
    const char *clean = shader_clean_name(&collector->out->arena, name);
    if (!clean || strcmp(clean, "noshader") == 0 || !is_new(&collector->shaders, clean))
        return;
    if (is_excluded(collector, clean)) {
        collector->out->excluded++;
        return;
    }
    const struct shader_block *block = assets_shader_block(collector->assets, clean);
    if (block) {
        add_block(collector, clean, block);
    } else if (!add_image(collector, clean) && !assets_defines_shader(collector->assets, clean)) {
        collector->out->missing++;
        (void)diag_report(collector->diag, DIAG_SHADER_MISSING, NULL, "\"%s\"", clean);
    }
}

static void add_model(struct collector *collector, const char *name)
{
    struct bytes model = {0};
    const char **shaders = NULL;
    if (!add_file(collector, name))
        missing(collector, name, "an entity");
    else if (assets_read(collector->assets, name, &model))
        shaders = md3_shaders(&model, &collector->out->arena);
    for (size_t i = 0; i < arrlenu(shaders); i++)
        add_shader(collector, shaders[i]);
    arrfree(shaders);
    bytes_free(&model);
}

static bool is_sound(const char *value)
{
    return str_ends_nocase(value, ".wav") || str_ends_nocase(value, ".ogg") ||
           str_ends_nocase(value, ".opus") || str_ends_nocase(value, ".mp3");
}

/* The engine loads a file of another kind when the named one is missing. */
static void add_sound(struct collector *collector, const char *name, const char *of)
{
    static const char *const endings[] = {".wav", ".ogg", ".opus", ".mp3", NULL};
    if (*name && *name != '*' && !(is_sound(name) && add_file(collector, name)) &&
        !add_one_of(collector, name, endings))
        missing(collector, name, of);
}

/* "INTRO LOOP", of which one may be missing. */
static void add_music(struct collector *collector, const char *value)
{
    const char *at = value;
    while (*at) {
        size_t length = strcspn(at, " ");
        if (length)
            add_sound(collector, arena_strndup(&collector->out->arena, at, length), "music");
        at += length + strspn(at + length, " ");
    }
}

static void add_pair(struct collector *collector, const struct entity *entity,
                     const struct key_value *pair)
{
    const char *classname = entity_value(entity, "classname");
    if (str_equal_nocase(pair->key, "music"))
        add_music(collector, pair->value);
    else if (str_equal_nocase(pair->key, "noise") || is_sound(pair->value))
        add_sound(collector, pair->value, classname);
    else if (str_ends_nocase(pair->value, ".md3"))
        add_model(collector, pair->value);
    else if (str_equal_nocase(pair->key, "targetshadername") ||
             str_equal_nocase(pair->key, "targetshadernewname"))
        add_shader(collector, pair->value);
}

static void add_entities(struct collector *collector, const struct bsp *bsp)
{
    struct entity_list list;
    if (entities_parse(bsp->entities, arrlenu(bsp->entities), "entities", collector->diag, &list) ==
        STATUS_OK)
        for (size_t i = 0; i < arrlenu(list.entities); i++)
            for (size_t j = 0; j < arrlenu(list.entities[i].pairs); j++)
                add_pair(collector, &list.entities[i], &list.entities[i].pairs[j]);
    entities_free(&list);
}

/* Adds a name in a fixed-size field. */
static void add_shader_field(struct collector *collector, const char field[SHADER_NAME])
{
    size_t length = 0;
    while (length < SHADER_NAME && field[length])
        length++;
    add_shader(collector, arena_strndup(&collector->out->arena, field, length));
}

static void add_scripts(struct collector *collector)
{
    struct map_resources *out = collector->out;
    if (!arrlenu(collector->scripts))
        return;
    qsort(collector->scripts, arrlenu(collector->scripts), sizeof *collector->scripts,
          str_compare_items);
    struct map_resource script = {
        .name = asset_name(
            &out->arena, arena_printf(&out->arena, "scripts/%s.shader", collector->options->map))};
    for (size_t i = 0; i < arrlenu(collector->scripts); i++) {
        const struct trimmed *one = &collector->scripts[i];
        bytes_append_text(&script.data, "%s\n{", one->name);
        bytes_append(&script.data, one->block->text, one->block->size);
        bytes_append_text(&script.data, "\n}\n");
    }
    arrput(out->files, script);
}

/* ---- arena files for menus ---- */

struct arena_search {
    struct collector *collector;
    const char **names; /* stb_ds array */
};

static void note_arena(void *context, const char *name)
{
    struct arena_search *search = context;
    if (str_ends_nocase(name, ".arena"))
        arrput(search->names, arena_printf(&search->collector->out->arena, "scripts/%s", name));
}

static bool says(const struct token *token, const char *word)
{
    return token->kind == TOKEN_TEXT && token->length == strlen(word) &&
           str_starts_nocase(token->text, word);
}

/* Reads on after an opening brace; returns true when the block is the map's. */
static bool read_arena_block(struct lexer *lexer, const char *map, const char **end)
{
    bool found = false;
    for (;;) {
        struct token key = lexer_next(lexer);
        if (key.kind == TOKEN_CLOSE) {
            *end = lexer->at;
            return found;
        }
        struct token value = key.kind == TOKEN_TEXT ? lexer_next(lexer) : key;
        if (value.kind != TOKEN_TEXT)
            return false;
        found |= says(&key, "map") && says(&value, map);
    }
}

/* Finds the map's block, from its opening to its closing brace, in the text of a
 * scripts/NAME.arena, which lists maps for menus with one block in braces per map. The block's
 * `map` is compared without regard to case. Returns false when there is none. */
static bool arena_script_block(const char *text, size_t size, const char *map, const char **block,
                               size_t *length)
{
    struct lexer lexer = lexer_new(text, size);
    for (;;) {
        struct token token = lexer_next(&lexer);
        const char *end = NULL;
        if (token.kind == TOKEN_END || token.kind == TOKEN_UNTERMINATED)
            return false;
        if (token.kind != TOKEN_OPEN || !read_arena_block(&lexer, map, &end))
            continue;
        *block = token.text;
        *length = (size_t)(end - token.text);
        return true;
    }
}

/* Returns true when the script has a block of the map; adds it unless the game has it. */
static bool take_block(struct collector *collector, const char *from, const char *to)
{
    struct bytes text = {0}, kept = {0};
    const char *block;
    size_t mount, length;
    bool found = assets_find(collector->assets, from, &text, &mount) &&
                 arena_script_block((const char *)text.data, text.size, collector->options->map,
                                    &block, &length);
    if (found && is_of_game(collector, mount)) {
        collector->out->of_game++;
    } else if (found) {
        bytes_append(&kept, block, length);
        bytes_append_text(&kept, "\n");
        arrput(collector->out->files, ((struct map_resource){to, kept}));
    }
    bytes_free(&text);
    return found;
}

/* Adds the map's own script, or its part of a script for several maps. */
static void add_arena(struct collector *collector)
{
    struct arena *arena = &collector->out->arena;
    struct arena_search search = {.collector = collector};
    const char *own = arena_printf(arena, "scripts/%s.arena", collector->options->map);
    const char *clean = asset_name(arena, own);
    if (!clean || add_file(collector, own) || is_excluded(collector, clean))
        return;
    assets_list(collector->assets, "scripts", note_arena, &search);
    if (search.names)
        qsort(search.names, arrlenu(search.names), sizeof *search.names, str_compare_items);
    bool found = false;
    for (size_t i = 0; i < arrlenu(search.names) && !found; i++)
        found = take_block(collector, search.names[i], clean);
    arrfree(search.names);
}

void map_resources_collect(struct assets *assets, const struct bsp *bsp,
                           const struct map_resource_options *options, struct map_resources *out)
{
    *out = (struct map_resources){0};
    struct collector collector = {
        .assets = assets, .diag = assets_env(assets)->diag, .options = options, .out = out};
    struct arena *arena = &out->arena;
    sh_new_strdup(collector.files);
    sh_new_strdup(collector.shaders);
    for (size_t i = 0; i < arrlenu(bsp->shaders); i++)
        add_shader_field(&collector, bsp->shaders[i].name);
    for (size_t i = 0; i < arrlenu(bsp->effects); i++)
        add_shader_field(&collector, bsp->effects[i].name);
    add_entities(&collector, bsp);
    add_file(&collector, arena_printf(arena, "maps/%s.aas", options->map));
    add_arena(&collector);
    add_image(&collector, arena_printf(arena, "levelshots/%s", options->map));
    add_scripts(&collector);
    if (out->files)
        qsort(out->files, arrlenu(out->files), sizeof *out->files, str_compare_items);
    shfree(collector.files);
    shfree(collector.shaders);
    arrfree(collector.scripts);
}

void map_resources_free(struct map_resources *resources)
{
    for (size_t i = 0; i < arrlenu(resources->files); i++)
        bytes_free(&resources->files[i].data);
    arrfree(resources->files);
    arena_free(&resources->arena);
}
