/* Names and variables of instances, and outputs across their borders. */
#include "vbsp/level/instances/instance_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/instances.def"
#include "vbsp/level/entity_lump.h"

/* Outputs across the border of an instance: the editor writes "instance:NAME;INPUT" for an input of
 * an entity inside the target instance, and "instance:NAME;OUTPUT" as the key of a func_instance's
 * output for an output of an entity inside. The game supports neither: they become plain ones. */

static const char border[] = "instance:";

struct name_cell {
    char *key; /* in lower case */
    const struct placed_instance *value;
};

struct crossing {
    const char *name;   /* of the entity inside */
    const char *signal; /* input or output */
};

/* "instance:NAME;SIGNAL" */
static bool read_crossing(const char *text, struct arena *arena, struct crossing *out)
{
    if (!str_starts_nocase(text, border))
        return false;
    text += sizeof border - 1;
    const char *semicolon = strchr(text, ';');
    if (!semicolon)
        return false;
    out->name = arena_strndup(arena, text, (size_t)(semicolon - text));
    out->signal = semicolon + 1;
    return true;
}

static bool is_called(const struct map_entity *entity, const char *name)
{
    return str_equal_nocase(entity_value(&entity->keys, "targetname"), name);
}

static void report(const struct level *whole, const struct map_entity *entity, const char *value,
                   struct diag *diag)
{
    struct diag_where where = map_where(whole, entity, NULL, NULL);
    diag_report(diag, DIAG_INSTANCE_OUTPUT, &where, "\"%.160s\"", value);
}

static bool has_entity(const struct level *whole, const struct placed_instance *instance,
                       const char *name)
{
    for (size_t i = instance->first; i < instance->end; i++)
        if (is_called(&whole->entities[i], name))
            return true;
    return false;
}

/* The value as a plain output; the value itself if it crosses no border; NULL if its target does
 * not exist. */
static const char *resolve_input(struct level *whole, struct name_cell *names, const char *value)
{
    struct arena *arena = &whole->arena;
    size_t target_length = strcspn(value, ",\x1b");
    const char *input = value + target_length + (value[target_length] != 0);
    size_t input_length = strcspn(input, ",\x1b");
    struct crossing crossing;
    if (!read_crossing(arena_strndup(arena, input, input_length), arena, &crossing))
        return value;
    const char *target = arena_strndup(arena, value, target_length);
    ptrdiff_t found = shgeti(names, arena_strlower(arena, target));
    const struct placed_instance *instance = found < 0 ? NULL : names[found].value;
    const char *name = instance ? instance_rename(&instance->names, crossing.name, arena) : "";
    if (!instance || !has_entity(whole, instance, name))
        return NULL;
    return arena_printf(arena, "%s%c%s%s", name, value[target_length], crossing.signal,
                        input + input_length);
}

static void resolve_inputs(struct level *whole, struct name_cell *names, struct map_entity *entity,
                           struct diag *diag)
{
    for (size_t i = 0; i < arrlenu(entity->keys.pairs); i++) {
        struct key_value *pair = &entity->keys.pairs[i];
        if (!strstr(pair->value, ":") || !entity_lump_is_output(pair->value))
            continue;
        const char *resolved = resolve_input(whole, names, pair->value);
        if (resolved)
            pair->value = resolved;
        else
            report(whole, entity, pair->value, diag);
    }
}

static void give_output(struct level *whole, const struct placed_instance *instance,
                        const struct key_value *pair, struct diag *diag)
{
    struct crossing crossing;
    if (!read_crossing(pair->key, &whole->arena, &crossing))
        return;
    const char *name = instance_rename(&instance->names, crossing.name, &whole->arena);
    struct key_value output = {crossing.signal, pair->value};
    bool given = false;
    for (size_t i = instance->first; i < instance->end; i++) {
        if (!is_called(&whole->entities[i], name))
            continue;
        arrput(whole->entities[i].keys.pairs, output);
        given = true;
    }
    if (!given)
        report(whole, &whole->entities[instance->entity], pair->key, diag);
}

void instance_outputs_resolve(struct level *whole, const struct placed_instance *placed,
                              struct diag *diag)
{
    struct name_cell *names = NULL;
    sh_new_strdup(names);
    for (size_t i = arrlenu(placed); i-- > 0;) /* of equal names the first is kept */
        shput(names, arena_strlower(&whole->arena, placed[i].names.instance), &placed[i]);
    for (size_t i = 0; i < arrlenu(placed); i++) {
        const struct key_value *pairs = whole->entities[placed[i].entity].keys.pairs;
        for (size_t j = 0; j < arrlenu(pairs); j++)
            give_output(whole, &placed[i], &pairs[j], diag);
    }
    for (size_t i = 0; arrlen(placed) && i < arrlenu(whole->entities); i++)
        if (!entity_is(&whole->entities[i].keys, "func_instance"))
            resolve_inputs(whole, names, &whole->entities[i], diag);
    shfree(names);
}

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
