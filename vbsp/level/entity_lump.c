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

void entities_write(struct compile *compile)
{
    struct entity_list list = {0};
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        if (!compile->entities[i].dropped)
            arrput(list.entities, compile->entities[i].keys);
    struct bytes text = {0};
    entities_format(&list, &text);
    arrsetlen(compile->bsp->entities, text.size);
    if (text.size)
        memcpy(compile->bsp->entities, text.data, text.size);
    bytes_free(&text);
    arrfree(list.entities);
}
