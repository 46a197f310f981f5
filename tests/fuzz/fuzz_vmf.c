/* Any bytes as a VMF, also for Quake 3, and as an entity lump: no crash, and the result can be
 * traversed. */
#include <stdint.h>

#include "common/core/array.h"
#include "vbsp/level/adapt/adapt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_map(const struct level *map)
{
    if (!map->entities)
        __builtin_trap();
    for (size_t i = 0; i < arrlenu(map->entities); i++) {
        const struct map_entity *entity = &map->entities[i];
        if (!*entity_value(&entity->keys, "classname"))
            __builtin_trap();
        for (size_t j = 0; j < arrlenu(entity->solids); j++) {
            const struct map_solid *solid = &entity->solids[j];
            if (arrlen(solid->sides) < 4 || solid->entity != (int)i)
                __builtin_trap();
            for (size_t k = 0; k < arrlenu(solid->sides); k++)
                if (!vec3_is_finite(solid->sides[k].points[2]) ||
                    (solid->sides[k].lightmap_scale != 0 && !(solid->sides[k].lightmap_scale >= 1)))
                    __builtin_trap();
        }
    }
}

/* Patches that displacements were converted to. */
static void check_patches(const struct level *map)
{
    for (size_t i = 0; i < arrlenu(map->entities); i++)
        for (size_t j = 0; j < arrlenu(map->entities[i].patches); j++) {
            const struct map_patch *patch = &map->entities[i].patches[j];
            for (int k = 0; k < patch->columns * patch->rows; k++)
                if (!vec3_is_finite(patch->points[k].p))
                    __builtin_trap();
        }
}

/* entities_format writes a list that can be read again. */
static void check_entities(const char *text, size_t size, struct diag *diag)
{
    struct entity_list list, again;
    if (entities_parse(text, size, "fuzz", diag, &list) != STATUS_OK)
        return;
    struct bytes out = {0};
    entities_format(&list, &out);
    if (entities_parse((const char *)out.data, out.size, "again", diag, &again) != STATUS_OK ||
        arrlen(list.entities) != arrlen(again.entities))
        __builtin_trap();
    entities_free(&again);
    bytes_free(&out);
    entities_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct level map;
    if (vmf_parse((const char *)data, size, "fuzz", diag, &map) == STATUS_OK) {
        check_map(&map);
        adapt_to_quake3(&map, diag);
        check_map(&map);
        check_patches(&map);
        level_free(&map);
    } else if (diag_count(diag, DIAG_ERROR) == 0) {
        __builtin_trap(); /* failed without a report */
    }
    check_entities((const char *)data, size, diag);
    diag_free(diag);
    return 0;
}
