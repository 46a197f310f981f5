#include <stdlib.h>

#include "ballance/compile/maker.h"
#include "common/core/strings.h"

/* The ninth is the first that the game writes without a zero. */
const char *ballance_sector(struct ballance_maker *maker, unsigned sector)
{
    return arena_printf(&maker->arena, sector < 9 ? "Sector_%02u" : "Sector_%u", sector);
}

/* Returns the next name of a list that is separated by semicolons, and steps over it. */
static const char *next_group(struct ballance_maker *maker, const char **text)
{
    struct bytes name = {0};
    const char *at = *text;
    for (; *at && *at != ';'; at++) {
        if (*at == '\\' && at[1])
            at++;
        bytes_u8(&name, (uint8_t)*at);
    }
    *text = at + (*at == ';');
    const char *copy =
        arena_strndup(&maker->arena, name.size ? (const char *)name.data : "", name.size);
    bytes_free(&name);
    return copy;
}

void ballance_set_groups(struct ballance_maker *maker, const struct map_entity *entity,
                         const char *const *implied, size_t count, struct bmx_object *object)
{
    const char **names = NULL, *text = entity_value(&entity->keys, "_groups");
    bool complete = *text == '=';
    for (size_t i = 0; i < count && !complete; i++)
        arrput(names, implied[i]);
    for (text += complete; *text;) {
        const char *name = next_group(maker, &text);
        if (*name)
            arrput(names, name);
    }
    if (names)
        qsort(names, arrlenu(names), sizeof *names, str_compare_items);
    for (size_t i = 0; i < arrlenu(names); i++) {
        if (i && strcmp(names[i], names[i - 1]) == 0)
            continue;
        struct bmx_text group = bmx_text_make(names[i]);
        arrput(object->groups, group);
    }
    arrfree(names);
}
