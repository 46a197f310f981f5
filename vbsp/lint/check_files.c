#include <string.h>

#include "common/assets/soundscripts.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lint_content.def"
#include "vbsp/level/entity_lump.h"
#include "vbsp/lint/checks.h"

/* --- check sounds --- */

struct sounds {
    const struct lint_ctx *lint;
    struct soundscripts *scripts;
    struct lint_name_cell *told; /* stb_ds map */
    struct arena scratch;
};

/* Without an FGD only what all games have. */
static bool is_sound_key(const struct lint_ctx *lint, const char *classname, const char *key)
{
    if (lint->fgd && fgd_has_class(lint->fgd, classname))
        return fgd_key_type(lint->fgd, classname, key) == FGD_SOUND;
    return str_equal_nocase(classname, "ambient_generic") && str_equal_nocase(key, "message");
}

/* Files are no game sounds, and neither are sentences (!NAME), variables of instances, and numbers,
 * by which old entities choose a sound of their own. */
static bool may_be_game_sound(const char *value)
{
    double number;
    return *value && !strpbrk(value, "/\\$!,;\x1b") && !str_ends_nocase(value, ".wav") &&
           !str_ends_nocase(value, ".mp3") && !str_ends_nocase(value, ".ogg") &&
           !str_to_double(value, &number);
}

/* The game replaces variables ($gender). */
static bool is_missing(struct sounds *sounds, const char *wave)
{
    return *wave && !strchr(wave, '$') && !str_ends_nocase(wave, "null.wav") &&
           !lint_has_file(sounds->lint, lint_sound_path(wave, &sounds->scratch));
}

static void judge(struct sounds *sounds, const struct map_entity *entity,
                  const struct key_value *pair)
{
    struct diag *diag = sounds->lint->compile->env->diag;
    struct diag_where where = lint_where(sounds->lint, entity);
    const char *owner = lint_entity_text(entity, &sounds->scratch);
    struct soundscript_wave *waves;
    size_t missing = 0, first = 0;
    if (!soundscripts_find(sounds->scripts, pair->value, &waves))
        (void)diag_report(diag, DIAG_GAME_SOUND_MISSING, &where, "\"%.160s\", %s of %s",
                          pair->value, pair->key, owner);
    for (size_t i = arrlenu(waves); i-- > 0;)
        if (is_missing(sounds, waves[i].wave)) {
            missing++;
            first = i;
        }
    if (missing)
        (void)diag_report(
            diag, DIAG_SOUND_MISSING, &where,
            "\"%.160s\" of the game sound \"%.160s\" (%s:%d; %zu of %zu are missing), "
            "%s of %s",
            waves[first].wave, pair->value, waves[first].file, waves[first].line, missing,
            arrlenu(waves), pair->key, owner);
    arrfree(waves);
}

static void look_at(struct sounds *sounds, const struct map_entity *entity)
{
    const char *classname = entity_value(&entity->keys, "classname");
    for (size_t i = 0; i < arrlenu(entity->keys.pairs); i++) {
        const struct key_value *pair = &entity->keys.pairs[i];
        if (!may_be_game_sound(pair->value) || !is_sound_key(sounds->lint, classname, pair->key) ||
            shgeti(sounds->told, pair->value) >= 0)
            continue;
        shput(sounds->told, pair->value, 1);
        judge(sounds, entity, pair);
        arena_reset(&sounds->scratch);
    }
}

void lint_game_sounds(const struct lint_ctx *lint)
{
    struct sounds sounds = {.lint = lint};
    if (!lint->rules->has_inputs || !lint_has_game(lint))
        return;
    const char *map = level_name(&sounds.scratch, lint->level->file);
    sounds.scripts = soundscripts_read(lint->compile->assets, map);
    sh_new_strdup(sounds.told);
    for (size_t i = 1; sounds.scripts && i < arrlenu(lint->level->entities); i++)
        look_at(&sounds, &lint->level->entities[i]);
    shfree(sounds.told);
    soundscripts_free(sounds.scripts);
    arena_free(&sounds.scratch);
}

/* --- check files --- */

bool lint_has_file(const struct lint_ctx *lint, const char *path)
{
    struct bytes bytes = {0};
    bool found = assets_read(lint->compile->assets, path, &bytes);
    bytes_free(&bytes);
    return found;
}

/* Marks at the start of a sound's name say how it is played. */
const char *lint_sound_path(const char *value, struct arena *arena)
{
    value += strspn(value, "*#@<>^)(}$!?&~`+%");
    return arena_printf(arena, "sound/%s", value);
}

/* The game shows a .spr as the material of that name. */
static const char *sprite_path(const char *value, struct arena *arena)
{
    const char *dot = strrchr(value, '.');
    const char *stem = arena_strndup(arena, value, (size_t)(dot - value));
    bool whole = str_starts_nocase(value, "materials/") || str_starts_nocase(value, "materials\\");
    return arena_printf(arena, "%s%s.vmt", whole ? "" : "materials/", stem);
}

/* Returns NULL when the value names neither. */
static const char *source_path(const struct key_value *pair, struct arena *arena, bool *is_sound)
{
    const char *value = pair->value;
    *is_sound = str_ends_nocase(value, ".wav") || str_ends_nocase(value, ".mp3");
    if (strchr(value, '$') || strpbrk(value, ",;\x1b"))
        return NULL;
    if (*is_sound)
        return lint_sound_path(value, arena);
    return str_ends_nocase(value, ".vmt") || str_ends_nocase(value, ".spr")
               ? sprite_path(value, arena)
               : NULL;
}

/* A name that begins with * is one of the player's model. */
static bool quake3_has_sound(const struct lint_ctx *lint, const char *value, struct arena *arena)
{
    static const char *const endings[] = {"", ".wav", ".ogg", ".opus"};
    const char *dot = strrchr(value, '.');
    const char *stem = dot ? arena_strndup(arena, value, (size_t)(dot - value)) : value;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (lint_has_file(lint,
                          arena_printf(arena, "%s%s", *endings[i] ? stem : value, endings[i])))
            return true;
    return false;
}

bool lint_quake3_is_missing(const struct lint_ctx *lint, const struct key_value *pair,
                            struct arena *arena, bool *is_sound)
{
    *is_sound = true;
    return str_equal_nocase(pair->key, "noise") && *pair->value && *pair->value != '*' &&
           !quake3_has_sound(lint, pair->value, arena);
}

bool lint_source_is_missing(const struct lint_ctx *lint, const struct key_value *pair,
                            struct arena *arena, bool *is_sound)
{
    const char *path = source_path(pair, arena, is_sound);
    return path && !lint_has_file(lint, path);
}

bool lint_has_game(const struct lint_ctx *lint)
{
    return lint->rules->has_game(lint->compile->assets);
}

void lint_missing_files(const struct lint_ctx *lint)
{
    struct arena scratch = {0};
    struct lint_name_cell *told = NULL;
    if (!lint_has_game(lint))
        return;
    sh_new_strdup(told);
    for (size_t i = 1; i < arrlenu(lint->level->entities); i++) {
        const struct map_entity *entity = &lint->level->entities[i];
        for (size_t j = 0; j < arrlenu(entity->keys.pairs); j++) {
            const struct key_value *pair = &entity->keys.pairs[j];
            bool is_sound;
            if (shgeti(told, pair->value) >= 0 ||
                !lint->rules->is_missing(lint, pair, &scratch, &is_sound))
                continue;
            shput(told, pair->value, i);
            struct diag_where where = lint_where(lint, entity);
            (void)diag_report(lint->compile->env->diag,
                              is_sound ? DIAG_SOUND_MISSING : DIAG_SPRITE_MISSING, &where,
                              "\"%.160s\", %s of %s", pair->value, pair->key,
                              lint_entity_text(entity, &scratch));
            arena_reset(&scratch);
        }
    }
    shfree(told);
    arena_free(&scratch);
}
