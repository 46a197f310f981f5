/* Values that name an entity, as the file of an instance itself tells. */
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/instances.def"
#include "vbsp/level/class_names.h"
#include "vbsp/level/instances/instance_internal.h"

struct file_names *instance_file_names(const struct level *level,
                                       const struct instance_names *names, struct arena *arena)
{
    struct file_names *all = NULL;
    sh_new_strdup(all);
    for (size_t i = 1; i < arrlenu(level->entities); i++) {
        const char *name = entity_value(&level->entities[i].keys, "targetname");
        name = arena_strlower(arena, instance_replace(names, name, arena));
        if (*name)
            shput(all, name, true);
    }
    for (size_t i = 1; i < arrlenu(level->entities); i++) {
        const char *class = entity_value(&level->entities[i].keys, "classname");
        shput(all, arena_strlower(arena, class), false);
    }
    return all;
}

/* The games' only wildcard is a * at the end. */
static bool is_pattern(const struct file_names *all, const char *lower)
{
    size_t length = strlen(lower);
    if (length < 2 || lower[length - 1] != '*')
        return false;
    for (size_t i = 0; i < shlenu(all); i++)
        if (all[i].value && strncmp(all[i].key, lower, length - 1) == 0)
            return true;
    return false;
}

bool instance_file_has_name(struct file_names *all, const char *value, struct arena *arena)
{
    double number;
    bool is_number = str_to_doubles(value, &number, 1) > 0;
    if (!all || !*value || is_number || strpbrk(value, "/\\") || class_name_known(value))
        return false;
    const char *lower = arena_strlower(arena, value);
    ptrdiff_t at = shgeti(all, lower);
    return at >= 0 ? all[at].value : is_pattern(all, lower);
}

void instance_guesses_report(const struct instance_guesses *guesses, const struct level *whole,
                             struct diag *diag)
{
    if (!guesses->count)
        return;
    struct diag_where where = map_where(whole, &whole->entities[guesses->entity], NULL, NULL);
    (void)diag_report(diag, DIAG_INSTANCE_NAMES_GUESSED, &where,
                      "%zu value%s, first \"%.80s\" of %.80s: no FGD has %s", guesses->count,
                      guesses->count == 1 ? "" : "s", guesses->value, guesses->key,
                      guesses->count == 1 ? "its class" : "their classes");
}
