#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lint_entities.def"
#include "vbsp/lint/checks.h"

/* The ids of Hammer: others refer to them, and the editor takes the wrong one of two. */

struct id_cell {
    int key;
    int value; /* line of the first */
};

/* Reports an id that another of its kind has. */
static void see(const struct lint_ctx *lint, struct id_cell **seen, int id, const char *kind,
                const struct diag_where *where)
{
    ptrdiff_t at = id > 0 ? hmgeti(*seen, id) : -1;
    if (at >= 0)
        (void)diag_report(lint->compile->env->diag, DIAG_ID_TWICE, where,
                          "%s id %d, first used in line %d", kind, id, (*seen)[at].value);
    else if (id > 0)
        hmput(*seen, id, where->line);
}

struct seen_ids {
    struct id_cell *entities, *solids, *sides; /* stb_ds maps */
};

static void see_solid(const struct lint_ctx *lint, struct seen_ids *seen,
                      const struct map_entity *entity, const struct map_solid *solid)
{
    struct diag_where where = map_where(lint->level, entity, solid, NULL);
    see(lint, &seen->solids, solid->id, "solid", &where);
    for (size_t k = 0; k < arrlenu(solid->sides); k++) {
        where = map_where(lint->level, entity, solid, &solid->sides[k]);
        see(lint, &seen->sides, solid->sides[k].id, "side", &where);
    }
}

/* Ids of instances were made unique, and those of a MAP are counted. */
void lint_duplicate_ids(const struct lint_ctx *lint)
{
    struct seen_ids seen = {0};
    if (!lint->rules->has_ids)
        return;
    for (size_t i = 0; i < arrlenu(lint->level->entities); i++) {
        const struct map_entity *entity = &lint->level->entities[i];
        struct diag_where where = lint_where(lint, entity);
        if (i > 0 && !entity->part)
            see(lint, &seen.entities, entity->id, "entity", &where);
        for (size_t j = 0; j < arrlenu(entity->solids); j++)
            if (!entity->solids[j].part)
                see_solid(lint, &seen, entity, &entity->solids[j]);
    }
    hmfree(seen.entities);
    hmfree(seen.solids);
    hmfree(seen.sides);
}

/* --- check values --- */

/* A bit of struct lint_number. */
#define COUNT(n) (1u << (n))

/* Returns how many numbers the text is made of, or -1 when there is something else in it. */
static int count_numbers(const char *text)
{
    char word[64];
    int count = 0;
    for (;;) {
        text += strspn(text, " \t");
        size_t length = strcspn(text, " \t");
        double value;
        if (!length)
            return count;
        if (length >= sizeof word)
            return -1;
        memcpy(word, text, length);
        word[length] = 0;
        if (!str_to_double(word, &value) || ++count > 16)
            return -1;
        text += length;
    }
}

static void check_key(const struct lint_ctx *lint, const struct map_entity *entity,
                      const struct lint_number *key)
{
    const char *value = entity_value(&entity->keys, key->key);
    if (!*value || strchr(value, '$'))
        return;
    int count = count_numbers(value);
    if (count >= 0 && (key->counts & COUNT(count)))
        return;
    struct diag_where where = lint_where(lint, entity);
    (void)diag_report(lint->compile->env->diag, DIAG_VALUE_UNREADABLE, &where,
                      "%s \"%.80s\" of %s: expected %s", key->key, value,
                      entity_value(&entity->keys, "classname"), key->expected);
}

void lint_values(const struct lint_ctx *lint)
{
    for (size_t i = 1; i < arrlenu(lint->level->entities); i++)
        for (size_t j = 0; j < lint->rules->number_count; j++)
            check_key(lint, &lint->level->entities[i], &lint->rules->numbers[j]);
}
