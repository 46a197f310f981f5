#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lint_entities.def"
#include "vbsp/lint/checks.h"

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
