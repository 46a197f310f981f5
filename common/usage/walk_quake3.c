/* Files that a Quake 3 map uses: shaders with the images of their stages, sky boxes, models,
 * sounds, and files that the game loads by the name of the map. */
#include <string.h>

#include "common/assets/models/mesh_model.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/shaders/shader_script.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/usage/arena_block.h"
#include "common/usage/walk.h"

/* Returns false when the file is missing, which the caller judges. */
static bool use_file(struct walk *walk, enum usage_kind kind, const char *name,
                     const struct walk_edge *edge)
{
    const struct walk_edge optional = walk_optional(*edge);
    return walk_use(walk, kind, name, "", &optional) >= 0;
}

static void miss(struct walk *walk, enum usage_kind kind, const char *name,
                 const struct walk_edge *edge)
{
    (void)walk_use(walk, kind, name, "", edge);
}

/* Uses the file with the first extension that exists, in place of its own. */
static bool use_one_of(struct walk *walk, enum usage_kind kind, const char *name,
                       const char *const *endings, const struct walk_edge *edge)
{
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - name) : strlen(name);
    for (; *endings; endings++)
        if (use_file(walk, kind,
                     arena_printf(&walk->out->arena, "%.*s%s", (int)length, name, *endings), edge))
            return true;
    return false;
}

static bool use_image(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    static const char *const endings[] = {".tga", ".jpg", ".png", ".bmp", NULL};
    return use_one_of(walk, USAGE_TEXTURE, name, endings, edge);
}

/* ---- shaders ---- */

/* Six images; a box may lack its bottom, which is never visible. */
static void use_sky_box(struct walk *walk, const char *box, int64_t shader)
{
    static const char *const sides[] = {"rt", "bk", "lf", "ft", "up", "dn"};
    for (int i = 0; i < 6 && strcmp(box, "-") != 0 && strcmp(box, "full") != 0; i++) {
        const struct walk_edge edge = walk_from(walk, shader, "skyparms");
        use_image(walk, arena_printf(&walk->out->arena, "%s_%s", box, sides[i]), &edge);
    }
}

static void use_stage(struct walk *walk, const struct shader_directive *directive, int64_t shader)
{
    const char *keyword = directive->words[0];
    const bool is_animated = str_equal_nocase(keyword, "animmap");
    const bool is_map = str_equal_nocase(keyword, "map") || str_equal_nocase(keyword, "clampmap");
    const struct walk_edge edge = walk_from(walk, shader, "%s", keyword);
    if (str_equal_nocase(keyword, "videomap") && directive->count > 1)
        use_file(walk, USAGE_OTHER,
                 strchr(directive->words[1], '/')
                     ? directive->words[1]
                     : arena_printf(&walk->out->arena, "video/%s", directive->words[1]),
                 &edge);
    size_t end = is_animated ? directive->count : is_map && directive->count > 1 ? 2 : 0;
    for (size_t i = 1 + is_animated; i < end; i++) {
        const char *image = directive->words[i];
        if (*image != '$' && *image != '*' && !use_image(walk, image, &edge))
            miss(walk, USAGE_TEXTURE, image, &edge);
    }
}

static void use_block(struct walk *walk, const char *name, const struct shader_block *block,
                      const struct walk_edge *edge)
{
    const int64_t shader = walk_define(walk, USAGE_SHADER, name, block->file, edge);
    struct shader_cursor cursor = shader_cursor(block);
    struct shader_directive directive;
    while (shader_next_directive(&cursor, &walk->out->arena, &directive)) {
        if (directive.depth)
            use_stage(walk, &directive, shader);
        else if (str_equal_nocase(directive.words[0], "skyparms"))
            for (size_t i = 1; i < directive.count; i += 2)
                use_sky_box(walk, directive.words[i], shader);
    }
}

static void use_shader(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    const char *clean = shader_clean_name(&walk->out->arena, name);
    if (!clean || strcmp(clean, "noshader") == 0 || !walk_first(walk, "shader", clean))
        return;
    const bool is_excluded = walk_excludes(walk, clean);
    const struct shader_block *block = assets_shader_block(walk->assets, clean);
    if (block && !is_excluded)
        use_block(walk, clean, block, edge);
    else if (is_excluded ||
             (!use_image(walk, clean, edge) && !assets_defines_shader(walk->assets, clean)))
        (void)walk_define(walk, USAGE_SHADER, clean, NULL, edge);
}

/* A name in a field of a fixed size. */
static void use_shader_field(struct walk *walk, const char field[SHADER_NAME], const char *why)
{
    const struct walk_edge edge = walk_from(walk, USAGE_OF_MAP, "%s", why);
    size_t length = 0;
    while (length < SHADER_NAME && field[length])
        length++;
    use_shader(walk, arena_strndup(&walk->out->arena, field, length), &edge);
}

/* ---- entities ---- */

static void use_md3(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    struct bytes model = {0};
    const char **shaders = NULL;
    if (!walk_first(walk, "model", name))
        return;
    const int64_t file = walk_use(walk, USAGE_MD3, name, "", edge);
    const struct walk_edge of = walk_from(walk, file, "shader");
    if (file >= 0 && assets_read(walk->assets, name, &model))
        shaders = md3_shaders(&model, &walk->out->arena);
    for (size_t i = 0; i < arrlenu(shaders); i++)
        use_shader(walk, shaders[i], &of);
    arrfree(shaders);
    bytes_free(&model);
}

static bool is_wave(const char *value)
{
    return str_ends_nocase(value, ".wav") || str_ends_nocase(value, ".ogg") ||
           str_ends_nocase(value, ".opus") || str_ends_nocase(value, ".mp3");
}

/* The engine loads a file of another kind when the named one is missing. */
static void use_wave(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    static const char *const endings[] = {".wav", ".ogg", ".opus", ".mp3", NULL};
    if (*name && *name != '*' && !(is_wave(name) && use_file(walk, USAGE_SOUND, name, edge)) &&
        !use_one_of(walk, USAGE_SOUND, name, endings, edge))
        miss(walk, USAGE_SOUND, name, edge);
}

/* "INTRO LOOP", of which one may be missing. */
static void use_music(struct walk *walk, const char *value, const struct walk_edge *edge)
{
    const char *at = value;
    while (*at) {
        size_t length = strcspn(at, " ");
        if (length)
            use_wave(walk, arena_strndup(&walk->out->arena, at, length), edge);
        at += length + strspn(at + length, " ");
    }
}

static void use_pair(struct walk *walk, size_t number, const struct entity *entity,
                     const struct key_value *pair)
{
    const struct walk_edge edge = walk_from(walk, USAGE_OF_MAP, "entity %zu %s %s", number,
                                            entity_value(entity, "classname"), pair->key);
    if (str_equal_nocase(pair->key, "music"))
        use_music(walk, pair->value, &edge);
    else if (str_equal_nocase(pair->key, "noise") || is_wave(pair->value))
        use_wave(walk, pair->value, &edge);
    else if (str_ends_nocase(pair->value, ".md3"))
        use_md3(walk, pair->value, &edge);
    else if (str_equal_nocase(pair->key, "targetshadername") ||
             str_equal_nocase(pair->key, "targetshadernewname"))
        use_shader(walk, pair->value, &edge);
}

/* ---- files by the name of the map ---- */

/* The map's own script for menus, or its part of a script for several maps. */
static void use_arena(struct walk *walk, const struct walk_edge *edge)
{
    struct arena *arena = &walk->out->arena;
    const char *own = arena_printf(arena, "scripts/%s.arena", walk->options->map);
    const char *clean = asset_name(arena, own);
    struct bytes block = {0};
    size_t mount;
    if (!clean || use_file(walk, USAGE_OTHER, own, edge) || walk_excludes(walk, clean))
        return;
    const char *script = arena_block_find(walk->assets, walk->options->map, arena, &block, &mount);
    const struct walk_edge of = walk_from(walk, USAGE_OF_MAP, "block of %s", script);
    if (script)
        (void)walk_define(walk, USAGE_ARENA, clean, script, &of);
    bytes_free(&block);
}

void walk_quake3(struct walk *walk)
{
    const struct bsp *bsp = walk->bsp;
    struct arena *arena = &walk->out->arena;
    const struct walk_edge named = walk_from(walk, USAGE_OF_MAP, "by the name of the map");
    for (size_t i = 0; i < arrlenu(bsp->shaders); i++)
        use_shader_field(walk, bsp->shaders[i].name, "surface or brush");
    for (size_t i = 0; i < arrlenu(bsp->effects); i++)
        use_shader_field(walk, bsp->effects[i].name, "fog");
    for (size_t i = 0; i < arrlenu(walk->entities.entities); i++)
        for (size_t k = 0; k < arrlenu(walk->entities.entities[i].pairs); k++)
            use_pair(walk, i, &walk->entities.entities[i], &walk->entities.entities[i].pairs[k]);
    use_file(walk, USAGE_OTHER, arena_printf(arena, "maps/%s.aas", walk->options->map), &named);
    use_arena(walk, &named);
    use_image(walk, arena_printf(arena, "levelshots/%s", walk->options->map), &named);
}
