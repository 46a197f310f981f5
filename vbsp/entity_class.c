#include "vbsp/entity_class.h"

#include "common/core/strings.h"

/* An entity that names a record of an overlay or an occluder must not be written without it. */
const struct class_row class_rows[CLASS_ROWS] = {
    {"func_detail", false, USE_DETAIL, NULL},
    {"func_ladder", false, USE_LADDER, NULL},
    {"func_areaportal", true, USE_AREAPORTAL, NULL},
    {"func_water", false, USE_WATER, NULL},
    {"env_cubemap", false, USE_CUBEMAP, NULL},
    {"func_viscluster", false, USE_VISCLUSTER, NULL},
    {"func_occluder", false, USE_OCCLUDER, "nothing is hidden by them"},
    {"func_instance", false, USE_GONE, "what they place is missing"},
    {"func_instance_parms", false, USE_GONE, NULL},
    {"prop_static", false, USE_GONE, "the props are missing"},
    {"static_prop", false, USE_GONE, "the props are missing"},
    {"prop_detail", false, USE_GONE, "the props are missing"},
    {"detail_prop", false, USE_GONE, "the props are missing"},
    {"prop_detail_sprite", false, USE_GONE, "the sprites are missing"},
    {"info_overlay", false, USE_GONE, "the overlays are missing"},
    {"info_overlay_transition", false, USE_GONE, "the overlays are missing"},
    {"info_no_dynamic_shadow", false, USE_GONE, NULL},
};

const struct class_row *class_row_of(const struct entity *keys)
{
    const char *name = entity_value(keys, "classname");
    for (int i = 0; i < CLASS_ROWS; i++)
        if (class_rows[i].prefix ? str_starts_nocase(name, class_rows[i].name)
                                 : str_equal_nocase(name, class_rows[i].name))
            return &class_rows[i];
    return NULL;
}

enum class_use class_use_of(const struct entity *keys)
{
    const struct class_row *row = class_row_of(keys);
    return row ? row->use : USE_ENTITY;
}

bool class_is_world(enum class_use use)
{
    return use == USE_DETAIL || use == USE_LADDER || use == USE_AREAPORTAL;
}

bool class_is_model(enum class_use use)
{
    return use == USE_ENTITY || use == USE_WATER;
}
