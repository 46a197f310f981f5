/* Names and variables of instances. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/instances/instance_internal.h"

/* Limits recursive variables, whose text may grow without bound; no game reads a longer one. */
enum { MAX_REPLACED = 65536 };

/* Matches "replace01", "parm2": the word and a number. */
static bool is_numbered(const char *key, const char *word)
{
    if (!str_starts_nocase(key, word))
        return false;
    const char *digits = key + strlen(word);
    return *digits && strspn(digits, "0123456789") == strlen(digits);
}

static const char *skip_word(const char *text)
{
    while (*text && !isspace((unsigned char)*text))
        text++;
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

static bool has_variable(const struct instance_names *names, const char *name)
{
    for (size_t i = 0; i < arrlenu(names->variables); i++)
        if (str_equal_nocase(names->variables[i].name, name))
            return true;
    return false;
}

static int longest_first(const void *a, const void *b)
{
    const struct instance_variable *x = a, *y = b;
    size_t p = strlen(x->name), q = strlen(y->name);
    return p != q ? (p > q ? -1 : 1) : strcmp(x->name, y->name);
}

/* `value` points behind the name in `text`. */
static void add_variable(struct instance_names *names, const char *text, const char *value,
                         struct arena *arena)
{
    if (*text != '$')
        return;
    size_t length = strcspn(text, " \t\r\n");
    struct instance_variable variable = {arena_strndup(arena, text, length), value};
    if (length < 2 || has_variable(names, variable.name))
        return;
    arrput(names->variables, variable);
    qsort(names->variables, arrlenu(names->variables), sizeof *names->variables, longest_first);
}

struct instance_names instance_names_read(const struct entity *keys, int number,
                                          struct arena *arena)
{
    double style = entity_number(keys, "fixup_style", FIXUP_PREFIX);
    struct instance_names names = {
        .style = style >= 2   ? FIXUP_NONE
                 : style >= 1 ? FIXUP_POSTFIX
                              : FIXUP_PREFIX,
        .instance = entity_value(keys, "targetname"),
    };
    if (!*names.instance)
        names.instance = arena_printf(arena, "InstanceAuto%d", number);
    for (size_t i = 0; i < arrlenu(keys->pairs); i++)
        if (is_numbered(keys->pairs[i].key, "replace"))
            add_variable(&names, keys->pairs[i].value, skip_word(keys->pairs[i].value), arena);
    return names;
}

void instance_names_defaults(struct instance_names *names, const struct entity *parms,
                             struct arena *arena)
{
    for (size_t i = 0; i < arrlenu(parms->pairs); i++) {
        const struct key_value *pair = &parms->pairs[i];
        if (!is_numbered(pair->key, "parm"))
            continue;
        const char *type = skip_word(pair->value), *value = skip_word(type);
        if (*type && *value)
            add_variable(names, pair->value, value, arena);
    }
}

static const struct instance_variable *variable_at(const struct instance_names *names,
                                                   const char *text)
{
    for (size_t i = 0; i < arrlenu(names->variables); i++)
        if (str_starts_nocase(text, names->variables[i].name))
            return &names->variables[i];
    return NULL;
}

const char *instance_replace(const struct instance_names *names, const char *text,
                             struct arena *arena)
{
    if (!names || !arrlen(names->variables) || !strchr(text, '$'))
        return text;
    struct bytes out = {0};
    while (*text && out.size < MAX_REPLACED) {
        const struct instance_variable *variable = *text == '$' ? variable_at(names, text) : NULL;
        const char *piece = variable ? variable->value : text;
        bytes_append(&out, piece, variable ? strlen(piece) : 1);
        text += variable ? strlen(variable->name) : 1;
    }
    const char *result = out.size ? arena_strndup(arena, (const char *)out.data, out.size) : "";
    bytes_free(&out);
    return result;
}

const char *instance_rename(const struct instance_names *names, const char *name,
                            struct arena *arena)
{
    if (!names || names->style == FIXUP_NONE || !*name || *name == '@' || *name == '!')
        return name;
    if (names->style == FIXUP_POSTFIX)
        return arena_printf(arena, "%s-%s", name, names->instance);
    return arena_printf(arena, "%s-%s", names->instance, name);
}
