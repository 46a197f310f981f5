/* Entities with the key _removeaftercompile. */
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/level_changes.def"
#include "vbsp/level/compile_time.h"
#include "vbsp/target/source/entities/entities.h"

static bool is_light(const struct entity *keys)
{
    return str_starts_nocase(entity_value(keys, "classname"), "light");
}

static bool is_aimed_at(const struct compile *compile, const char *name)
{
    for (size_t i = 1; *name && i < arrlenu(compile->entities); i++) {
        const struct entity *keys = &compile->entities[i].keys;
        if (is_light(keys) && str_equal_nocase(entity_value(keys, "target"), name))
            return true;
    }
    return false;
}

/* Entities that vrad reads from the BSP: lights and what they point at, the camera of the 3D sky,
 * and brush entities that cast shadows. */
static bool vrad_needs(const struct compile *compile, const struct compile_entity *entity)
{
    const struct entity *keys = &entity->keys;
    return is_light(keys) || entity_is(keys, "sky_camera") ||
           (entity->model > 0 && entity_number(keys, "vrad_brush_cast_shadows", 0) != 0) ||
           is_aimed_at(compile, entity_value(keys, "targetname"));
}

void compile_only_drop(struct compile *compile)
{
    const struct compile_entity *kept = NULL;
    size_t count = 0;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        struct compile_entity *entity = &compile->entities[i];
        if (entity->dropped || !compile_time_only(&entity->keys))
            continue;
        if (!vrad_needs(compile, entity)) {
            entity->dropped = true;
            continue;
        }
        kept = kept ? kept : entity;
        count++;
    }
    if (!kept)
        return;
    struct diag_where where = map_where(compile->level, kept->map_entity, NULL, NULL);
    diag_report(compile->env->diag, DIAG_COMPILE_TIME_LIGHT, &where,
                "%s with _removeaftercompile%s", entity_value(&kept->keys, "classname"),
                count == 1 ? ""
                           : arena_printf(&compile->arena, ", the first of %zu entities", count));
}
