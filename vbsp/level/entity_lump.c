#include "vbsp/level/entity_lump.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"

bool entity_lump_is_output(const char *value)
{
    const char *last[5] = {NULL};
    size_t count = 0;
    for (const char *at = strpbrk(value, ",\x1b"); at; at = strpbrk(at + 1, ",\x1b"))
        last[count++ % 5] = at + 1;
    int64_t times;
    double delay;
    if (count < 4 || !str_to_int64(last[(count - 1) % 5], &times))
        return false;
    return str_to_doubles(last[(count - 2) % 5], &delay, 1) == 1;
}

void entity_lump_set(struct entity *keys, struct arena *arena, const char *key, const char *value)
{
    if (!entity_has(keys, key)) {
        struct key_value pair = {key, ""};
        arrput(keys->pairs, pair);
        for (size_t i = arrlenu(keys->pairs) - 1; i > 0; i--)
            keys->pairs[i] = keys->pairs[i - 1];
        keys->pairs[0] = pair;
    }
    entity_set(keys, arena, key, value);
}

int *side_list_read(const char *text)
{
    int *ids = NULL;
    for (char *end; *text; text = end) {
        int64_t id = strtoll(text, &end, 10);
        if (end == text)
            break;
        if (id > 0 && id <= INT_MAX)
            arrput(ids, (int)id);
    }
    return ids;
}

/* The value with line breaks for each \\n, as Mapbase writes it. */
static const char *break_lines(struct arena *arena, const char *value)
{
    const char *at = strstr(value, "\\n");
    if (!at)
        return value;
    char *out = arena_strdup(arena, value), *to = out + (at - value);
    for (; *at; at++) {
        bool breaks = at[0] == '\\' && at[1] == 'n';
        *to++ = breaks ? '\n' : *at;
        at += breaks;
    }
    *to = 0;
    return out;
}

static void break_lines_of(struct arena *arena, struct entity *entity)
{
    for (size_t i = 0; i < arrlenu(entity->pairs); i++)
        if (!entity_lump_is_output(entity->pairs[i].value))
            entity->pairs[i].value = break_lines(arena, entity->pairs[i].value);
}

/* A version of the lump tells that it has escapes. */
static void set_lump_version(struct bsp *bsp, const struct bytes *text)
{
    bool quotes = text->size && memchr(text->data, ENTITY_QUOTE, text->size);
    bsp->carried[LUMP_ENTITIES].version = quotes ? 1 : 0;
}

void entities_write(struct compile *compile)
{
    const struct bsp_format *format = compile->options->format;
    const enum bsp_escapes escapes = format ? format->escapes : ESCAPES_NONE;
    struct entity_list list = {0};
    for (size_t i = 0; i < arrlenu(compile->entities) && escapes == ESCAPES_LINE_BREAKS; i++)
        break_lines_of(&compile->arena, &compile->entities[i].keys);
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        if (!compile->entities[i].dropped)
            arrput(list.entities, compile->entities[i].keys);
    struct bytes text = {0};
    entities_format(&list, &text);
    arrsetlen(compile->bsp->entities, text.size);
    if (text.size)
        memcpy(compile->bsp->entities, text.data, text.size);
    if (escapes == ESCAPES_QUOTES)
        set_lump_version(compile->bsp, &text);
    bytes_free(&text);
    arrfree(list.entities);
}
