#include "vbsp/target/source/materials/overlay.h"

#include <math.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/overlays.def"
#include "vbsp/level/entity_lump.h"
#include "vbsp/level/material_replacements.h"
#include "vbsp/target/source/entities/state.h"

/* Maximum valid coordinate. */
#define FAR 1e6

/* Numbers of water overlays start here (as in compiled maps). */
enum { WATER_OVERLAY_FIRST = 513 };

static bool read_vector(const struct entity *keys, const char *key, float out[3])
{
    double numbers[3];
    if (str_to_doubles(entity_value(keys, key), numbers, 3) != 3)
        return false;
    for (int i = 0; i < 3; i++) {
        if (!(fabs(numbers[i]) <= FAR))
            return false;
        out[i] = (float)numbers[i];
    }
    return true;
}

/* The u axis is stored in unused fields of the flat corners, as is a flag for mirrored v. */
static bool read_basis(const struct entity *keys, struct bsp_water_overlay *record)
{
    float u[3], v[3];
    if (!read_vector(keys, "BasisU", u) || !read_vector(keys, "BasisV", v) ||
        !read_vector(keys, "BasisNormal", record->normal))
        return false;
    if (!read_vector(keys, "BasisOrigin", record->origin) &&
        !read_vector(keys, "origin", record->origin))
        return false;
    struct vec3 normal = vec3_from_floats(record->normal);
    if (vec3_length(normal) < 0.5 || vec3_length(vec3_from_floats(u)) < 0.5)
        return false;
    for (int i = 0; i < 3; i++)
        record->corners[i][2] = u[i];
    record->corners[3][2] =
        vec3_dot(vec3_cross(normal, vec3_from_floats(u)), vec3_from_floats(v)) < 0 ? 1.0f : 0.0f;
    return true;
}

static bool read_corners(const struct entity *keys, struct bsp_water_overlay *record)
{
    static const char *const names[] = {"uv0", "uv1", "uv2", "uv3"};
    for (int i = 0; i < 4; i++) {
        float corner[3];
        if (!read_vector(keys, names[i], corner))
            return false;
        record->corners[i][0] = corner[0];
        record->corners[i][1] = corner[1];
    }
    return true;
}

static float read_number(const struct entity *keys, const char *key, double otherwise)
{
    return (float)portable_fmax(-FAR, portable_fmin(FAR, entity_number(keys, key, otherwise)));
}

static float squared_distance(double distance)
{
    return distance < 0 ? -1.0f : (float)(distance * distance);
}

static bool read_overlay(const struct entity *keys, struct overlay *overlay)
{
    struct bsp_water_overlay *record = &overlay->record;
    record->u[0] = read_number(keys, "StartU", 0);
    record->u[1] = read_number(keys, "EndU", 1);
    record->v[0] = read_number(keys, "StartV", 0);
    record->v[1] = read_number(keys, "EndV", 1);
    record->render_order = (int32_t)read_number(keys, "RenderOrder", 0) & 3;
    overlay->fade.min_squared = squared_distance(entity_number(keys, "fademindist", 0));
    overlay->fade.max_squared = squared_distance(entity_number(keys, "fademaxdist", 0));
    overlay->sides = side_list_read(entity_value(keys, "sides"));
    return *entity_value(keys, "material") && read_basis(keys, record) &&
           read_corners(keys, record);
}

/* Number of overlays of the kind. */
static int count_kind(const struct overlay_set *set, bool water)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(set->overlays); i++)
        count += set->overlays[i].water == water;
    return count;
}

/* False, and reported, if the keys are invalid. */
static bool add_overlay(struct compile *compile, const struct map_entity *map_entity,
                        const struct entity *keys, bool water)
{
    struct overlay_set *set = source_state(compile)->overlays;
    struct overlay overlay = {.water = water, .map_entity = map_entity};
    if (!read_overlay(keys, &overlay)) {
        struct diag_where where = map_where(compile->level, map_entity, NULL, NULL);
        diag_report(compile->env->diag, DIAG_OVERLAY_KEYS, &where,
                    "its material, or a vector of its basis or corners, is missing; the overlay is "
                    "dropped");
        arrfree(overlay.sides);
        return false;
    }
    overlay.record.id = count_kind(set, water) + (water ? WATER_OVERLAY_FIRST : 0);
    overlay.record.texinfo = texinfo_without_mapping(
        &compile->texinfos, material_replacements_use(compile, entity_value(keys, "material")));
    arrput(set->overlays, overlay);
    return true;
}

/* A named one can be controlled by inputs: it is kept as an entity with the number of its record.
 * */
static void keep_accessor(struct compile *compile, struct compile_entity *entity)
{
    if (!*entity_value(&entity->keys, "targetname"))
        return;
    int number = arrlast(source_state(compile)->overlays->overlays).record.id;
    entity->dropped = false;
    entity_lump_set(&entity->keys, &compile->arena, "classname", "info_overlay_accessor");
    entity_lump_set(&entity->keys, &compile->arena, "OverlayID",
                    arena_printf(&compile->arena, "%d", number));
}

/* Adds the blocks of an overlay_transition; other contents are for the editor. */
static void add_transition(struct compile *compile, const struct map_entity *map_entity)
{
    const struct kv *block = map_entity->overlay_transition;
    for (const struct kv *data = block ? block->children : NULL; data; data = data->next) {
        if (data->value || !str_equal_nocase(data->key, "overlaydata"))
            continue;
        struct entity keys = {0};
        for (const struct kv *node = data->children; node; node = node->next) {
            struct key_value pair = {node->key, node->value};
            if (node->value)
                arrput(keys.pairs, pair);
        }
        add_overlay(compile, map_entity, &keys, true);
        arrfree(keys.pairs);
    }
}

struct side_overlays {
    int key;    /* id of a side */
    int *value; /* stb_ds array: overlays, in order */
};

struct group_cell {
    char *key; /* the overlays' numbers as text */
    int value; /* the group, from 1 */
};

static struct side_overlays *overlays_by_side(const struct overlay_set *set)
{
    struct side_overlays *map = NULL;
    for (int i = 0; i < (int)arrlen(set->overlays); i++) {
        const struct overlay *overlay = &set->overlays[i];
        for (size_t j = 0; j < arrlenu(overlay->sides); j++) {
            ptrdiff_t at = hmgeti(map, overlay->sides[j]);
            int *list = at < 0 ? NULL : map[at].value;
            if (!arrlen(list) || arrlast(list) != i)
                arrput(list, i);
            hmput(map, overlay->sides[j], list);
        }
    }
    return map;
}

static int find_group(struct overlay_set *set, struct group_cell **groups, const int *list)
{
    struct bytes text = {0};
    for (size_t i = 0; i < arrlenu(list); i++)
        bytes_append_text(&text, "%d ", list[i]);
    bytes_append(&text, "", 1);
    ptrdiff_t at = shgeti(*groups, (const char *)text.data);
    int group = at < 0 ? (int)arrlen(set->groups) + 1 : (*groups)[at].value;
    if (at < 0) {
        int *copy = NULL;
        for (size_t i = 0; i < arrlenu(list); i++)
            arrput(copy, list[i]);
        arrput(set->groups, copy);
        shput(*groups, (const char *)text.data, group);
    }
    bytes_free(&text);
    return group;
}

static void mark_brushes(struct compile *compile, struct map_brush *const *brushes,
                         struct side_overlays *map, struct group_cell **groups)
{
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        for (int j = 0; j < brushes[i]->side_count; j++) {
            struct brush_side *side = &brushes[i]->sides[j];
            ptrdiff_t at = side->map_side ? hmgeti(map, side->map_side->id) : -1;
            if (at >= 0)
                side->overlays = find_group(source_state(compile)->overlays, groups, map[at].value);
        }
    }
}

static void mark_sides(struct compile *compile)
{
    struct side_overlays *map = overlays_by_side(source_state(compile)->overlays);
    struct group_cell *groups = NULL;
    sh_new_strdup(groups);
    mark_brushes(compile, compile->brushes, map, &groups);
    mark_brushes(compile, compile->displacement_brushes, map, &groups);
    shfree(groups);
    for (size_t i = 0; i < hmlenu(map); i++)
        arrfree(map[i].value);
    hmfree(map);
}

void overlays_load(struct compile *compile)
{
    source_state(compile)->overlays = memory_zalloc(1, sizeof *source_state(compile)->overlays);
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        struct compile_entity *entity = &compile->entities[i];
        if (!entity->map_entity)
            continue;
        const struct entity *keys = &entity->map_entity->keys;
        if (entity_is(keys, "info_overlay_transition"))
            add_transition(compile, entity->map_entity);
        else if (entity_is(keys, "info_overlay") &&
                 add_overlay(compile, entity->map_entity, keys, false))
            keep_accessor(compile, entity);
    }
    if (arrlen(source_state(compile)->overlays->overlays))
        mark_sides(compile);
}

void overlays_free(struct compile *compile)
{
    struct overlay_set *set = source_state(compile)->overlays;
    if (!set)
        return;
    for (size_t i = 0; i < arrlenu(set->overlays); i++) {
        arrfree(set->overlays[i].sides);
        arrfree(set->overlays[i].faces);
    }
    for (size_t i = 0; i < arrlenu(set->groups); i++)
        arrfree(set->groups[i]);
    arrfree(set->overlays);
    arrfree(set->groups);
    memory_free(set);
    source_state(compile)->overlays = NULL;
}
