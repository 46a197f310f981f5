#include "vbsp/level/key_notes.h"

#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/level_changes.def"
#include "vbsp/level/entity_lump.h"

enum { SEPARATORS = 4 }; /* of an output: target, input, parameter, delay, times */

static size_t count_commas(const char *value)
{
    size_t count = 0;
    for (; (value = strchr(value, ',')); value++)
        count++;
    return count;
}

/* Where the separators are another character, commas are a part of the parameter. */
static bool is_cut(const struct key_value *pair)
{
    return !strchr(pair->value, '\x1b') && count_commas(pair->value) > SEPARATORS &&
           entity_lump_is_output(pair->value);
}

struct found {
    const struct map_entity *entity; /* the first */
    const char *key;
    size_t count;
};

static void note(struct found *found, const struct map_entity *entity, const char *key)
{
    if (!found->count++)
        *found = (struct found){entity, key, 1};
}

static void look_at_outputs(const struct map_entity *entity, struct found *found)
{
    for (size_t i = 0; i < arrlenu(entity->keys.pairs); i++)
        if (is_cut(&entity->keys.pairs[i]))
            note(found, entity, entity->keys.pairs[i].key);
}

static void look_at_shadows(const struct map_entity *entity, struct found *found)
{
    const struct entity *keys = &entity->keys;
    if (!entity_is(keys, "func_detail"))
        return;
    if (entity_number(keys, "disableshadows", 0) != 0)
        note(found, entity, "disableshadows");
    else if (entity_has(keys, "vrad_brush_cast_shadows") &&
             entity_number(keys, "vrad_brush_cast_shadows", 1) == 0)
        note(found, entity, "vrad_brush_cast_shadows");
}

static void report(const struct level *level, const struct found *found, int code,
                   const char *singular, const char *plural, struct diag *diag)
{
    if (!found->count)
        return;
    struct diag_where where = map_where(level, found->entity, NULL, NULL);
    (void)diag_report(diag, code, &where, "%s of %s (%zu %s)", found->key,
                      entity_value(&found->entity->keys, "classname"), found->count,
                      found->count == 1 ? singular : plural);
}

void key_notes_report(const struct level *level, struct diag *diag)
{
    struct found outputs = {0}, shadows = {0};
    for (size_t i = 0; i < arrlenu(level->entities); i++) {
        look_at_outputs(&level->entities[i], &outputs);
        look_at_shadows(&level->entities[i], &shadows);
    }
    report(level, &outputs, DIAG_OUTPUT_COMMAS, "output", "outputs", diag);
    report(level, &shadows, DIAG_DETAIL_SHADOWS, "entity", "entities", diag);
}
