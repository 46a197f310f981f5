#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/lint/checks.h"

/* How many numbers a key may have: a bit each. */
#define COUNT(n) (1u << (n))

struct numeric_key {
    const char *name;
    unsigned counts;
    const char *expected;
};

static const struct numeric_key source_keys[] = {
    {"origin", COUNT(3), "three numbers"},
    {"angles", COUNT(3), "three numbers"},
    {"_light", COUNT(1) | COUNT(3) | COUNT(4) | COUNT(8), "red green blue brightness"},
    {"_lightHDR", COUNT(1) | COUNT(3) | COUNT(4) | COUNT(8), "red green blue brightness"},
    {"_ambient", COUNT(1) | COUNT(3) | COUNT(4) | COUNT(8), "red green blue brightness"},
    {"_ambientHDR", COUNT(1) | COUNT(3) | COUNT(4) | COUNT(8), "red green blue brightness"},
};

static const struct numeric_key quake3_keys[] = {
    {"origin", COUNT(3), "three numbers"}, {"angles", COUNT(3), "three numbers"},
    {"angle", COUNT(1), "a number"},       {"light", COUNT(1), "a number"},
    {"_color", COUNT(3), "three numbers"},
};

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
                      const struct numeric_key *key)
{
    const char *value = entity_value(&entity->keys, key->name);
    if (!*value || strchr(value, '$'))
        return;
    int count = count_numbers(value);
    if (count >= 0 && (key->counts & COUNT(count)))
        return;
    struct diag_where where = lint_where(lint, entity);
    (void)diag_report(lint->compile->env->diag, DIAG_VALUE_UNREADABLE, &where,
                      "%s \"%.80s\" of %s: expected %s", key->name, value,
                      entity_value(&entity->keys, "classname"), key->expected);
}

void lint_values(const struct lint_ctx *lint)
{
    const struct numeric_key *keys = lint->quake3 ? quake3_keys : source_keys;
    size_t count = lint->quake3 ? sizeof quake3_keys / sizeof *quake3_keys
                                : sizeof source_keys / sizeof *source_keys;
    for (size_t i = 1; i < arrlenu(lint->level->entities); i++)
        for (size_t j = 0; j < count; j++)
            check_key(lint, &lint->level->entities[i], &keys[j]);
}
