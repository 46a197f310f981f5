#include "vbsp/level/entity_class.h"

#include "common/core/strings.h"

struct class_row {
    const char *name;
    bool prefix; /* matches all classes that begin with the name */
    enum class_use use;
};

/* Classes with special handling. An entity that refers to an overlay or occluder record must not be
 * written without it. */
static const struct class_row class_rows[] = {
    {"func_detail", false, USE_DETAIL},
    {"func_group", false, USE_GROUP},
    {"func_ladder", false, USE_LADDER},
    {"func_areaportal", true, USE_AREAPORTAL},
    {"func_water", false, USE_WATER},
    {"env_cubemap", false, USE_CUBEMAP},
    {"func_viscluster", false, USE_VISCLUSTER},
    {"func_detail_blocker", false, USE_DETAIL_BLOCKER},
    {"func_occluder", false, USE_OCCLUDER},
    {"func_instance", false, USE_CONSUMED},
    {"func_instance_parms", false, USE_CONSUMED},
    {"prop_static", false, USE_GONE},
    {"static_prop", false, USE_GONE},
    {"prop_detail", false, USE_GONE},
    {"detail_prop", false, USE_GONE},
    {"prop_detail_sprite", false, USE_GONE},
    {"info_overlay", false, USE_GONE},
    {"info_overlay_transition", false, USE_CONSUMED},
    {"info_no_dynamic_shadow", false, USE_CONSUMED},
};

static const struct class_row *class_row_of(const struct entity *keys)
{
    const char *name = entity_value(keys, "classname");
    for (size_t i = 0; i < sizeof class_rows / sizeof *class_rows; i++)
        if (class_rows[i].prefix ? str_starts_nocase(name, class_rows[i].name)
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
           use != USE_DETAIL_BLOCKER && use != USE_GROUP && use != USE_CONSUMED;
}
