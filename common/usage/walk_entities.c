/* Entities: what their keys and outputs name. */
#include <ctype.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/usage/walk.h"

enum meaning {
    MEANS_UNKNOWN,
    MEANS_NOTHING, /* a name, a number, a text */
    MEANS_MODEL,
    MEANS_SPRITE,
    MEANS_MODEL_OR_SPRITE,
    MEANS_MATERIAL,
    MEANS_TEXTURE,
    MEANS_SOUND,
    MEANS_SOUNDSCAPE,
    MEANS_SCENE,
    MEANS_RESPONSES,
    MEANS_EFFECT,
    MEANS_SCRIPTS,
    MEANS_COMMANDS,
    MEANS_SKY,
    MEANS_SLIDES,
    MEANS_FILE,
};

static const struct {
    const char *class, *key;
    enum meaning meaning;
} usual[] = {
#define KEY(class, key, meaning) {class, key, MEANS_##meaning},
#include "common/usage/entity_keys.def"
#undef KEY
};

/* An output: entity, input, parameter, delay, times; between them a comma or, in later branches, an
 * escape. */
enum { OUTPUT_SEPARATORS = 4, ESCAPE = 0x1b };

struct entity_walk {
    struct walk *walk;
    const struct entity *entity;
    size_t index;
    const char *class;
};

static bool key_fits(const char *pattern, const char *key)
{
    size_t length = strlen(pattern);
    if (pattern[length - 1] != '#')
        return asset_pattern_matches(pattern, key);
    size_t digits = strlen(key);
    while (digits && isdigit((unsigned char)key[digits - 1]))
        digits--;
    if (digits != length - 1)
        return false;
    for (size_t i = 0; i < digits; i++)
        if (tolower((unsigned char)pattern[i]) != tolower((unsigned char)key[i]))
            return false;
    return true;
}

static enum meaning usual_meaning(const char *class, const char *key)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (key_fits(usual[i].key, key) && asset_pattern_matches(usual[i].class, class))
            return usual[i].meaning;
    return MEANS_UNKNOWN;
}

static enum meaning meaning_of(const struct entity_walk *of, const char *key)
{
    static const enum meaning meanings[] = {
        [FGD_NAME] = MEANS_NOTHING,    [FGD_NAME_OR_CLASS] = MEANS_NOTHING,
        [FGD_SOUND] = MEANS_SOUND,     [FGD_MODEL] = MEANS_MODEL_OR_SPRITE,
        [FGD_SPRITE] = MEANS_SPRITE,   [FGD_MATERIAL] = MEANS_MATERIAL,
        [FGD_SCENE] = MEANS_SCENE,     [FGD_EFFECT] = MEANS_EFFECT,
        [FGD_SCRIPTS] = MEANS_SCRIPTS, [FGD_DIRECTION] = MEANS_UNKNOWN,
    };
    enum meaning meaning = usual_meaning(of->class, key);
    const struct fgd *fgd = of->walk->options->fgd;
    if (meaning != MEANS_UNKNOWN || !fgd)
        return meaning;
    return meanings[fgd_key_type(fgd, of->class, key)];
}

/* Skins that nothing changes are those of the key; other entities than props choose their own. */
static int skin_of(const struct entity_walk *of)
{
    bool is_prop = str_starts_nocase(of->class, "prop_") && !of->walk->skins_change;
    double skin = entity_number(of->entity, "skin", 0);
    return is_prop && skin >= 0 && skin < 1024 ? (int)skin : -1;
}

static void use_model_or_sprite(struct walk *walk, const char *value, int skin,
                                const struct walk_edge *edge)
{
    if (*value == '*')
        return; /* a model of brushes */
    if (str_ends_nocase(value, ".mdl"))
        use_model(walk, value, skin, edge);
    else if (str_ends_nocase(value, ".vmt") || str_ends_nocase(value, ".spr"))
        use_sprite(walk, value, skin, edge);
}

void use_sprite(struct walk *walk, const char *name, int skin, const struct walk_edge *edge)
{
    struct arena scratch = {0};
    bool is_old = str_ends_nocase(name, ".spr");
    if (str_ends_nocase(name, ".mdl"))
        use_model(walk, name, skin, edge);
    else if (*name)
        use_material(walk, is_old ? arena_strndup(&scratch, name, strlen(name) - 4) : name, edge);
    arena_free(&scratch);
}

struct slides {
    struct walk *walk;
    const char *folder;
    const struct walk_edge *edge;
};

static void use_slide(void *context, const char *name)
{
    const struct slides *slides = context;
    struct walk *walk = slides->walk;
    if (str_ends_nocase(name, ".vmt"))
        use_material(walk, arena_printf(&walk->out->arena, "%s/%s", slides->folder, name),
                     slides->edge);
}

static void use_slides(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    struct arena *arena = &walk->out->arena;
    const char *folder =
        asset_name(arena, arena_printf(arena, "materials/vgui/slideshow/%s", name));
    struct slides slides = {walk, folder, edge};
    if (folder && *name)
        assets_list(walk->assets, folder, use_slide, &slides);
}

static void use_value(const struct entity_walk *of, enum meaning meaning, const char *value,
                      const struct walk_edge *edge)
{
    struct walk *walk = of->walk;
    switch (meaning) {
    case MEANS_NOTHING:
        break;
    case MEANS_UNKNOWN:
        use_by_ending(walk, value, edge);
        break;
    case MEANS_MODEL:
    case MEANS_MODEL_OR_SPRITE:
        use_model_or_sprite(walk, value, skin_of(of), edge);
        break;
    case MEANS_SPRITE:
        use_sprite(walk, value, skin_of(of), edge);
        break;
    case MEANS_MATERIAL:
        use_material(walk, value, edge);
        break;
    case MEANS_TEXTURE:
        use_texture(walk, value, edge);
        break;
    case MEANS_SOUND:
        use_sound(walk, value, edge);
        break;
    case MEANS_SOUNDSCAPE:
        use_soundscape(walk, value, edge);
        break;
    case MEANS_SCENE:
        use_scene(walk, value, edge);
        break;
    case MEANS_RESPONSES:
        walk_use(walk, USAGE_RESPONSES, value, "", edge);
        break;
    case MEANS_EFFECT:
        use_effect(walk, value, edge);
        break;
    case MEANS_SCRIPTS:
        use_scripts(walk, value, edge);
        break;
    case MEANS_COMMANDS:
        use_commands(walk, value, strlen(value), edge);
        break;
    case MEANS_SKY:
        use_sky(walk, value, edge);
        break;
    case MEANS_SLIDES:
        use_slides(walk, value, edge);
        break;
    case MEANS_FILE:
        walk_use(walk, USAGE_OTHER, value, "", edge);
        break;
    }
}

void use_by_ending(struct walk *walk, const char *value, const struct walk_edge *edge)
{
    struct walk_edge optional = walk_optional(*edge);
    if (str_ends_nocase(value, ".mdl"))
        use_model(walk, value, -1, &optional);
    else if (str_ends_nocase(value, ".vmt"))
        use_material(walk, value, &optional);
    else if (str_ends_nocase(value, ".wav") || str_ends_nocase(value, ".mp3"))
        use_sound(walk, value, &optional);
    else if (str_ends_nocase(value, ".vcd"))
        use_scene(walk, value, &optional);
    else if (str_ends_nocase(value, ".nut"))
        use_scripts(walk, value, &optional);
    else if (str_ends_nocase(value, ".raw") || str_ends_nocase(value, ".vtf"))
        walk_use(walk, USAGE_OTHER, value, "", &optional);
}

/* ---- outputs ---- */

/* Returns the part of an output, from 0, in the arena; NULL when the value is none. */
static const char *output_part(struct arena *arena, const char *value, int part)
{
    char separator = strchr(value, ESCAPE) ? ESCAPE : ',';
    int count = 0;
    for (const char *at = value; *at; at++)
        count += *at == separator;
    if (count != OUTPUT_SEPARATORS)
        return NULL;
    for (; part; part--)
        value = strchr(value, separator) + 1;
    const char *end = strchr(value, separator);
    return end ? arena_strndup(arena, value, (size_t)(end - value)) : arena_strdup(arena, value);
}

static enum meaning input_meaning(const char *input)
{
    static const struct {
        const char *name;
        enum meaning meaning;
    } inputs[] = {
        {"SetModel", MEANS_MODEL_OR_SPRITE}, {"RunScriptFile", MEANS_SCRIPTS},
        {"Command", MEANS_COMMANDS},         {"ScreenOverlay", MEANS_MATERIAL},
        {"SetSoundscape", MEANS_SOUNDSCAPE}, {"PlaySound", MEANS_SOUND},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (str_equal_nocase(input, inputs[i].name))
            return inputs[i].meaning;
    return MEANS_UNKNOWN;
}

/* "AddOutput" sets a key of an entity whose class is not known. */
static void use_added(const struct entity_walk *of, const char *parameter,
                      const struct walk_edge *edge)
{
    struct arena scratch = {0};
    size_t length = strcspn(parameter, " ");
    const char *key = arena_strndup(&scratch, parameter, length);
    const char *value = parameter + length + strspn(parameter + length, " ");
    use_value(of, str_equal_nocase(key, "model") ? MEANS_MODEL_OR_SPRITE : MEANS_UNKNOWN, value,
              edge);
    arena_free(&scratch);
}

static bool use_output(const struct entity_walk *of, const struct key_value *pair)
{
    struct arena scratch = {0};
    const char *input = output_part(&scratch, pair->value, 1);
    const char *parameter = input ? output_part(&scratch, pair->value, 2) : "";
    if (input && *parameter) {
        struct walk_edge edge = walk_from(of->walk, USAGE_OF_MAP, "entity %zu %s %s -> %s",
                                          of->index, of->class, pair->key, input);
        if (str_equal_nocase(input, "AddOutput"))
            use_added(of, parameter, &edge);
        else if (str_equal_nocase(input, "RunScriptCode"))
            use_script_text(of->walk, parameter, strlen(parameter), USAGE_OF_MAP);
        else
            use_value(of, input_meaning(input), parameter, &edge);
    }
    arena_free(&scratch);
    return input != NULL;
}

/* True when skins may become others than those of the keys: by an input, or by a script. */
static bool changes_skins(const struct entity *entity)
{
    struct arena scratch = {0};
    bool changes = false;
    for (size_t i = 0; i < arrlenu(entity->pairs) && !changes; i++) {
        const char *input = output_part(&scratch, entity->pairs[i].value, 1);
        const char *parameter = input ? output_part(&scratch, entity->pairs[i].value, 2) : "";
        changes =
            str_equal_nocase(entity->pairs[i].key, "vscripts") ||
            (input && (str_equal_nocase(input, "Skin") || str_starts_nocase(input, "RunScript") ||
                       str_starts_nocase(parameter, "skin ")));
    }
    arena_free(&scratch);
    return changes;
}

static void walk_entity(struct walk *walk, const struct entity *entity, size_t index)
{
    struct entity_walk of = {walk, entity, index, entity_value(entity, "classname")};
    for (size_t i = 0; i < arrlenu(entity->pairs); i++) {
        const struct key_value *pair = &entity->pairs[i];
        if (!*pair->value || use_output(&of, pair))
            continue;
        enum meaning meaning = meaning_of(&of, pair->key);
        struct walk_edge edge =
            walk_from(walk, USAGE_OF_MAP, "entity %zu %s %s", index, of.class, pair->key);
        use_value(&of, meaning, pair->value, &edge);
    }
}

void walk_entities(struct walk *walk)
{
    const struct entity *entities = walk->entities.entities;
    for (size_t i = 0; i < arrlenu(entities); i++)
        walk->skins_change |= changes_skins(&entities[i]);
    for (size_t i = 0; i < arrlenu(entities); i++)
        walk_entity(walk, &entities[i], i);
}
