#include "vbsp/lint/checks.h"

#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/fgd.h"
#include "vbsp/level/entity_lump.h"

static const char *lowered(const struct lint_names *names, const char *text)
{
    struct arena *arena = &((struct lint_names *)names)->arena;
    return arena_strlower(arena, text);
}

static void add_name(struct lint_names *names, const char *text, size_t entity)
{
    const char *key = lowered(names, text);
    size_t index = arrlenu(names->list);
    struct lint_name name = {.text = text, .entity = entity};
    struct lint_name_cell *known = shgetp_null(names->first, key);
    if (known) {
        struct lint_name *first = &names->list[known->value];
        name.next = first->next;
        first->next = index + 1;
    } else {
        shput(names->first, key, index);
    }
    arrput(names->list, name);
    names->has_blanks |= strchr(text, ' ') != NULL;
}

/* "targetname NAME", which the input AddOutput gets. */
static void add_given_name(struct lint_names *names, const struct lint_output *output,
                           size_t entity)
{
    static const char key[] = "targetname";
    if (!str_equal_nocase(output->input, "AddOutput") || !str_starts_nocase(output->parameter, key))
        return;
    const char *name = output->parameter + sizeof key - 1;
    name += strspn(name, " ");
    if (*name)
        add_name(names, name, entity);
}

/* Makers of NPCs name what they make: NPCTargetname. */
static void add_pair(struct lint_names *names, const struct key_value *pair, size_t entity)
{
    struct lint_output output;
    if (!*pair->value)
        return;
    if (str_ends_nocase(pair->key, "targetname"))
        add_name(names, pair->value, entity);
    else if (str_equal_nocase(pair->key, "vscripts"))
        names->has_scripts = true;
    else if (lint_output_read(pair->value, &names->arena, &output))
        add_given_name(names, &output, entity);
}

void lint_names_make(const struct level *level, const struct fgd *fgd, struct lint_names *out)
{
    *out = (struct lint_names){.level = level, .fgd = fgd};
    sh_new_strdup(out->first);
    sh_new_strdup(out->classes);
    for (size_t i = 0; i < arrlenu(level->entities); i++) {
        const struct entity *keys = &level->entities[i].keys;
        const char *class = lowered(out, entity_value(keys, "classname"));
        shput(out->classes, class, i);
        for (size_t j = 0; j < arrlenu(keys->pairs); j++)
            add_pair(out, &keys->pairs[j], i);
    }
}

void lint_names_free(struct lint_names *names)
{
    arrfree(names->list);
    shfree(names->first);
    shfree(names->classes);
    arena_free(&names->arena);
}

size_t lint_names_find(const struct lint_names *names, const char *text)
{
    struct lint_name_cell *map = names->first; /* stb_ds lookups write to the map */
    ptrdiff_t at = shgeti(map, lowered(names, text));
    return at < 0 ? 0 : names->first[at].value + 1;
}

/* Returns true for a name or class with wildcards (asset_pattern_matches). */
static bool lint_is_pattern(const char *text)
{
    return strpbrk(text, "*?") != NULL;
}

static bool any_matches(const struct lint_name_cell *map, const char *pattern)
{
    for (size_t i = 0; i < shlenu(map); i++)
        if (asset_pattern_matches(pattern, map[i].key))
            return true;
    return false;
}

/* An input reaches entities of a class when no name is equal. These are made by the game. */
static bool is_made_by_the_game(const struct lint_names *names, const char *text)
{
    static const char *const starts[] = {
        "player", "worldspawn",   "npc_",    "monster_", "weapon_", "item_",
        "ammo_",  "tf_",          "team_",   "obj_",     "bot_",    "entity_",
        "cs_",    "prop_physics", "grenade", "infected", "witch"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (str_starts_nocase(text, starts[i]))
            return true;
    return names->fgd && fgd_has_class(names->fgd, text);
}

/* "NAME-rest" or "rest-NAME" of an instance of which there is nothing. */
static bool is_in_missing_instance(const struct lint_names *names, const char *text)
{
    struct arena *arena = &((struct lint_names *)names)->arena;
    for (size_t i = 1; i < arrlenu(names->level->entities); i++) {
        const struct entity *keys = &names->level->entities[i].keys;
        const char *name = entity_value(keys, "targetname");
        if (!entity_is(keys, "func_instance") || !*name)
            continue;
        const char *inside = arena_printf(arena, "%s-*", name);
        const char *other = arena_printf(arena, "*-%s", name);
        if ((asset_pattern_matches(inside, text) && !any_matches(names->first, inside)) ||
            (asset_pattern_matches(other, text) && !any_matches(names->first, other)))
            return true;
    }
    return false;
}

bool lint_names_may_exist(const struct lint_names *names, const char *text)
{
    /* ! is resolved by the game, @ is a name that instances share, $ is a variable of one, and &
     * begins what a point_template adds. */
    if (!*text || *text == '!' || *text == '@' || strpbrk(text, "$&") || names->has_scripts)
        return true;
    if (strchr(text, ' ') && !names->has_blanks)
        return true;
    if (lint_is_pattern(text) ? any_matches(names->first, text) || any_matches(names->classes, text)
                              : lint_names_find(names, text) != 0)
        return true;
    struct lint_name_cell *classes = names->classes; /* stb_ds lookups write to the map */
    return shgeti(classes, lowered(names, text)) >= 0 || is_made_by_the_game(names, text) ||
           is_in_missing_instance(names, text);
}

static const char *field(const char **text, struct arena *arena)
{
    size_t length = strcspn(*text, ",\x1b");
    const char *start = *text + strspn(*text, " ");
    const char *end = *text + length;
    *text += length + ((*text)[length] != 0);
    while (end > start && end[-1] == ' ')
        end--;
    return start < end ? arena_strndup(arena, start, (size_t)(end - start)) : "";
}

bool lint_output_read(const char *value, struct arena *arena, struct lint_output *out)
{
    if (!entity_lump_is_output(value) || strstr(value, "instance:"))
        return false;
    out->target = field(&value, arena);
    out->input = field(&value, arena);
    out->parameter = field(&value, arena);
    return true;
}

bool lint_key_is_reference(const struct key_value *pair, const struct lint_rules *rules)
{
    for (const char *const *key = rules->references; *key; key++)
        if (str_equal_nocase(pair->key, *key))
            return true;
    return false;
}
