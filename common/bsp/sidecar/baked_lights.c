#include "common/bsp/sidecar/baked_lights.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"

/* Returns true for entities that emit light: light, and lightJunior for the light grid alone. */
static bool entity_is_light(const struct entity *entity)
{
    return entity_is(entity, "light") || entity_is(entity, "lightJunior");
}

bool entity_is_baked_light(const struct entity *entity)
{
    return entity_is_light(entity) && !entity_has(entity, "targetname");
}

bool world_keeps_lights(const struct entity *world)
{
    return entity_number(world, "_keepLights", 0) != 0;
}

static enum status parse_lump(const struct bsp *bsp, struct diag *diag, struct entity_list *out)
{
    return entities_parse(bsp->entities, arrlenu(bsp->entities), "entities", diag, out);
}

static bool keeps_lights(const struct entity_list *list)
{
    return arrlen(list->entities) && world_keeps_lights(&list->entities[0]);
}

enum status baked_lights_split(const struct bsp *bsp, struct diag *diag, struct bytes *lights,
                               struct bytes *rest)
{
    struct entity_list all, parts[2] = {{0}, {0}};
    TRY(parse_lump(bsp, diag, &all));
    const bool keeps = keeps_lights(&all);
    for (ptrdiff_t i = 0; i < arrlen(all.entities); i++) {
        const bool leaves = i > 0 && !keeps && entity_is_baked_light(&all.entities[i]);
        arrput(parts[leaves].entities, all.entities[i]);
    }
    entities_format(&parts[0], rest);
    entities_format(&parts[1], lights);
    arrfree(parts[0].entities);
    arrfree(parts[1].entities);
    entities_free(&all);
    return STATUS_OK;
}

enum status baked_lights_drop(struct bsp *bsp, struct diag *diag)
{
    struct bytes lights = {0}, rest = {0};
    TRY(baked_lights_split(bsp, diag, &lights, &rest));
    if (lights.size) {
        arrsetlen(bsp->entities, 0);
        memcpy(arraddnptr(bsp->entities, rest.size), rest.data, rest.size);
    }
    bytes_free(&lights);
    bytes_free(&rest);
    return STATUS_OK;
}

enum status baked_lights_are_gone(const struct bsp *bsp, struct diag *diag, bool *out)
{
    struct entity_list all;
    TRY(parse_lump(bsp, diag, &all));
    *out = arrlen(all.entities) > 0 && !keeps_lights(&all);
    for (ptrdiff_t i = 1; i < arrlen(all.entities); i++)
        *out = *out && !entity_is_baked_light(&all.entities[i]);
    entities_free(&all);
    return STATUS_OK;
}

/* ---- of a map's source ---- */

static bool has_light_named(const struct entity_list *list, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(list->entities); i++)
        if (entity_is_light(&list->entities[i]) &&
            str_equal_nocase(entity_value(&list->entities[i], "targetname"), name))
            return true;
    return false;
}

/* A light with a name that the BSP lacks is baked as others are. */
static bool takes_light(const struct entity_list *lump, struct entity *entity)
{
    if (!entity_is_light(entity))
        return false;
    if (entity_has(entity, "targetname") &&
        has_light_named(lump, entity_value(entity, "targetname")))
        return false;
    entity_remove(entity, "targetname");
    return true;
}

enum status baked_lights_of_map(const char *map, size_t size, const char *name,
                                const struct bsp *bsp, struct diag *diag, struct bytes *out,
                                size_t *count)
{
    struct entity_list lump, all, lights = {0};
    *count = 0;
    TRY(parse_lump(bsp, diag, &lump));
    const enum status status = entities_parse_map(map, size, name, diag, &all);
    for (size_t i = 0; status == STATUS_OK && i < arrlenu(all.entities); i++)
        if (takes_light(&lump, &all.entities[i]))
            arrput(lights.entities, all.entities[i]);
    *count = arrlenu(lights.entities);
    entities_format(&lights, out);
    arrfree(lights.entities);
    if (status == STATUS_OK)
        entities_free(&all);
    entities_free(&lump);
    return status;
}
