/* Values that name an entity, as the file of an instance itself tells. */
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/instances.def"
#include "vbsp/level/class_names.h"
#include "vbsp/level/instances/instance_internal.h"

/* Between the names of a list. */
static const char between[] = " ,\t";

static enum file_name kind_of_name(const struct entity *keys)
{
    if (!entity_is(keys, "func_instance"))
        return FILE_NAME;
    double style = entity_number(keys, "fixup_style", FIXUP_PREFIX);
    return style >= 2 ? FILE_NAME : style >= 1 ? FILE_INSTANCE_POSTFIX : FILE_INSTANCE_PREFIX;
}

struct file_names *instance_file_names(const struct level *level,
                                       const struct instance_names *names, struct arena *arena)
{
    struct file_names *all = NULL;
    sh_new_strdup(all);
    for (size_t i = 1; i < arrlenu(level->entities); i++) {
        const struct entity *keys = &level->entities[i].keys;
        const char *name = entity_value(keys, "targetname");
        name = arena_strlower(arena, instance_replace(names, name, arena));
        if (*name)
            shput(all, name, kind_of_name(keys));
    }
    for (size_t i = 1; i < arrlenu(level->entities); i++) {
        const char *class = entity_value(&level->entities[i].keys, "classname");
        shput(all, arena_strlower(arena, class), FILE_CLASS);
    }
    return all;
}

/* The games' only wildcard is a * at the end. */
static bool is_pattern_of(const struct file_names *one, const char *lower)
{
    size_t length = strlen(lower);
    return length > 1 && lower[length - 1] == '*' && strncmp(one->key, lower, length - 1) == 0;
}

/* "inner-door" in an instance that has one called "inner", whose own names are not known here. */
static bool is_nested(const struct file_names *one, const char *lower)
{
    size_t length = strlen(lower), own = strlen(one->key);
    if (length < own + 2)
        return false;
    if (one->value == FILE_INSTANCE_PREFIX)
        return lower[own] == '-' && strncmp(lower, one->key, own) == 0;
    return one->value == FILE_INSTANCE_POSTFIX && lower[length - own - 1] == '-' &&
           strcmp(lower + length - own, one->key) == 0;
}

static bool is_one_name(struct file_names *all, const char *value, struct arena *arena)
{
    double number;
    if (!all || !*value || *value == '@' || *value == '!' || str_to_double(value, &number) ||
        strpbrk(value, "/\\") || class_name_known(value))
        return false;
    const char *lower = arena_strlower(arena, value);
    ptrdiff_t at = shgeti(all, lower);
    if (at >= 0)
        return all[at].value != FILE_CLASS;
    for (size_t i = 0; i < shlenu(all); i++)
        if (all[i].value != FILE_CLASS &&
            (is_pattern_of(&all[i], lower) || is_nested(&all[i], lower)))
            return true;
    return false;
}

/* Words of a value that is a list: names of the file, and those that instance_rename keeps. */
struct words {
    size_t count, names, kept;
};

static struct words words_of(struct file_names *all, const char *value, struct arena *arena)
{
    struct words words = {0};
    for (value += strspn(value, between); *value; value += strspn(value, between)) {
        size_t length = strcspn(value, between);
        const char *word = arena_strndup(arena, value, length);
        words.count++;
        if (*word == '@' || *word == '!')
            words.kept++;
        else
            words.names += is_one_name(all, word, arena);
        value += length;
    }
    return words;
}

static bool is_list_of_names(struct file_names *all, const char *value, struct arena *arena)
{
    if (!all || !strpbrk(value, between))
        return false;
    struct words words = words_of(all, value, arena);
    return words.count > 1 && words.names && words.names + words.kept == words.count;
}

bool instance_file_has_name(struct file_names *all, const char *value, struct arena *arena)
{
    return is_one_name(all, value, arena) || is_list_of_names(all, value, arena);
}

bool instance_file_may_have_name(struct file_names *all, const char *value, struct arena *arena)
{
    if (!all || !strpbrk(value, between))
        return false;
    struct words words = words_of(all, value, arena);
    return words.names && 2 * (words.names + words.kept) >= words.count;
}

const char *instance_rename_names(const struct instance_names *names, struct file_names *all,
                                  const char *value, struct arena *arena)
{
    if (is_one_name(all, value, arena) || !is_list_of_names(all, value, arena))
        return instance_rename(names, value, arena);
    struct bytes out = {0};
    while (*value) {
        size_t gap = strspn(value, between), length = strcspn(value + gap, between);
        const char *word = arena_strndup(arena, value + gap, length);
        bytes_append(&out, value, gap);
        bytes_append_text(&out, "%s", instance_rename(names, word, arena));
        value += gap + length;
    }
    const char *result = arena_strndup(arena, (const char *)out.data, out.size);
    bytes_free(&out);
    return result;
}

void instance_guess_add(struct instance_guesses *guesses, size_t entity, const char *key,
                        const char *value)
{
    if (!guesses || guesses->count++)
        return;
    guesses->entity = entity;
    guesses->key = key;
    guesses->value = value;
}

void instance_guesses_report(const struct instance_guesses *taken,
                             const struct instance_guesses *left, const struct level *whole,
                             struct diag *diag)
{
    struct diag_where where;
    if (taken->count) {
        where = map_where(whole, &whole->entities[taken->entity], NULL, NULL);
        (void)diag_report(diag, DIAG_INSTANCE_NAMES_GUESSED, &where,
                          "%zu value%s, first \"%.80s\" of %.80s: no FGD has %s", taken->count,
                          taken->count == 1 ? "" : "s", taken->value, taken->key,
                          taken->count == 1 ? "its class" : "their classes");
    }
    if (left->count) {
        where = map_where(whole, &whole->entities[left->entity], NULL, NULL);
        (void)diag_report(diag, DIAG_INSTANCE_NAMES_LEFT, &where,
                          "%zu value%s, first \"%.80s\" of %.80s", left->count,
                          left->count == 1 ? "" : "s", left->value, left->key);
    }
}
