#include "vbsp/level/entity_class.h"

#include "common/core/strings.h"

struct class_row {
    const char *name;
    enum { EXACT, PREFIX } match;
    enum class_use use;
    const char *told;
};

static const struct class_row class_rows[] = {
#define ENTITY_CLASS(name, match, use, told) {name, match, use, told},
#include "vbsp/level/entity_classes.def"
#undef ENTITY_CLASS
};

static const struct class_row *class_row_of(const struct entity *keys)
{
    const char *name = entity_value(keys, "classname");
    for (size_t i = 0; i < sizeof class_rows / sizeof *class_rows; i++)
        if (class_rows[i].match == PREFIX ? str_starts_nocase(name, class_rows[i].name)
                                          : str_equal_nocase(name, class_rows[i].name))
            return &class_rows[i];
    return NULL;
}

/* A named overlay stays until the end: the file may need an entity that refers to its record. */
enum class_use class_use_of(const struct entity *keys)
{
    const struct class_row *row = class_row_of(keys);
    if (entity_is(keys, "info_overlay") && !*entity_value(keys, "targetname"))
        return USE_CONSUMED;
    return row ? row->use : USE_ENTITY;
}

const char *class_told(const struct entity *keys)
{
    const struct class_row *row = class_row_of(keys);
    return row ? row->told : NULL;
}

bool class_is_world(enum class_use use)
{
    return use == USE_DETAIL || use == USE_LADDER || use == USE_AREAPORTAL || use == USE_GROUP;
}

bool class_is_model(enum class_use use)
{
    return use == USE_ENTITY || use == USE_WATER;
}

bool class_floods(enum class_use use)
{
    return use != USE_DETAIL && use != USE_CUBEMAP && use != USE_VISCLUSTER &&
           use != USE_PARALLAX_BOX && use != USE_DETAIL_BLOCKER && use != USE_GROUP &&
           use != USE_CONSUMED;
}
