/* Light styles of lights that can be switched by name. */
#include "vbsp/target/source/entities/entities.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/entity_lump.h"

static bool is_switched_light(const struct entity *keys)
{
    return str_starts_nocase(entity_value(keys, "classname"), "light") &&
           !entity_is(keys, "light_dynamic") && *entity_value(keys, "targetname");
}

/* The number of the name's style, added when new; -1 when none is left. */
static int find_style(const char **names, int *count, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (str_equal_nocase(names[i], name))
            return FIRST_SWITCHED_STYLE + i;
    if (*count == SWITCHED_STYLES)
        return -1;
    names[*count] = name;
    return FIRST_SWITCHED_STYLE + (*count)++;
}

void light_styles_assign(struct compile *compile)
{
    const char *names[SWITCHED_STYLES] = {0};
    int count = 0;
    bool reported = false;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        struct compile_entity *entity = &compile->entities[i];
        if (entity->dropped || !is_switched_light(&entity->keys))
            continue;
        const char *name = entity_value(&entity->keys, "targetname");
        int style = find_style(names, &count, name);
        if (style < 0 && !reported) {
            struct diag_where where = map_where(compile->source, entity->source, NULL, NULL);
            diag_report(compile->env->diag, DIAG_LIGHT_NAMES, &where,
                        "\"%s\" is the name after the %dth of a light; it cannot be switched", name,
                        SWITCHED_STYLES);
            reported = true;
        }
        if (style < 0)
            continue;
        double old = entity_number(&entity->keys, "style", 0);
        if (old != 0)
            entity_lump_set(&entity->keys, &compile->arena, "defaultstyle",
                            entity_value(&entity->keys, "style"));
        entity_lump_set(&entity->keys, &compile->arena, "style",
                        arena_printf(&compile->arena, "%d", style));
    }
}
