#include "vbsp/target/source/materials/overlay.h"

#include <math.h>
#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/water_overlay_records.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/overlays.def"
#include "vbsp/level/entity_lump.h"
#include "vbsp/level/material_replacements.h"
#include "vbsp/target/source/entities/state.h"

struct overlay {
    struct bsp_water_overlay record; /* superset of both records, without faces */
    struct bsp_overlay_fade fade;
    bool water;
    const struct map_entity *map_entity;
    int *sides; /* stb_ds array: ids */
    int *faces; /* stb_ds array: numbers in the face lump, ascending */
};

/* Writes overlay records with their faces. */

/* Margin around the overlay within which faces are touched. */
#define TOUCH 1.0

void overlays_add_face(struct compile *compile, const struct brush_side *side, int face)
{
    struct overlay_set *set = source_state(compile)->overlays;
    if (!set || !side->overlays)
        return;
    const int *group = set->groups[side->overlays - 1];
    for (size_t i = 0; i < arrlenu(group); i++)
        arrput(set->overlays[group[i]].faces, face);
}

/* The overlay's plane: its box there, and the directions of the axes. */
struct frame {
    struct vec3 origin, axes[2];
    double low[2], high[2];
};

static struct frame frame_of(const struct bsp_water_overlay *record)
{
    struct frame frame = {.origin = vec3_from_floats(record->origin)};
    frame.axes[0] = vec3((double)record->corners[0][2], (double)record->corners[1][2],
                         (double)record->corners[2][2]);
    frame.axes[1] = vec3_cross(vec3_from_floats(record->normal), frame.axes[0]);
    if (record->corners[3][2] > 0)
        frame.axes[1] = vec3_scale(frame.axes[1], -1);
    for (int axis = 0; axis < 2; axis++) {
        frame.low[axis] = HUGE_VAL;
        frame.high[axis] = -HUGE_VAL;
        for (int i = 0; i < 4; i++) {
            frame.low[axis] =
                portable_fmin(frame.low[axis], (double)record->corners[i][axis] - TOUCH);
            frame.high[axis] =
                portable_fmax(frame.high[axis], (double)record->corners[i][axis] + TOUCH);
        }
    }
    return frame;
}

static bool touches(const struct bsp *bsp, const struct frame *frame, int number)
{
    const struct bsp_face *face = &bsp->faces[number];
    for (int axis = 0; axis < 2; axis++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < face->edge_count; i++) {
            struct vec3 point = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
            double at = vec3_dot(vec3_sub(point, frame->origin), frame->axes[axis]);
            low = portable_fmin(low, at);
            high = portable_fmax(high, at);
        }
        if (low > frame->high[axis] || high < frame->low[axis])
            return false;
    }
    return true;
}

/* Drops faces of the world that the overlay does not touch. Those of models are kept, since they
 * move. */
static void drop_untouched(const struct bsp *bsp, struct overlay *overlay)
{
    struct frame frame = frame_of(&overlay->record);
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(overlay->faces); i++)
        if (overlay->faces[i] >= bsp->models[0].face_count ||
            touches(bsp, &frame, overlay->faces[i]))
            overlay->faces[kept++] = overlay->faces[i];
    arrsetlen(overlay->faces, kept);
}

static struct diag_where overlay_where(const struct compile *compile, const struct overlay *overlay)
{
    struct diag_where where = map_where(compile->level, overlay->map_entity, NULL, NULL);
    struct vec3 origin = vec3_from_floats(overlay->record.origin);
    where.has_point = true;
    memcpy(where.point, origin.e, sizeof where.point);
    return where;
}

static void fit_faces(const struct compile *compile, struct overlay *overlay, int max)
{
    struct diag_where where = overlay_where(compile, overlay);
    if (!arrlen(overlay->faces)) {
        const char *why =
            arrlen(overlay->sides) ? "none of its sides is drawn" : "its sides key is empty";
        diag_report(compile->env->diag, DIAG_OVERLAY_SIDES, &where, "%s%s",
                    overlay->water ? "water overlay: " : "", why);
        return;
    }
    if (arrlen(overlay->faces) > max)
        drop_untouched(compile->bsp, overlay);
    if (arrlen(overlay->faces) <= max)
        return;
    diag_report(compile->env->diag, DIAG_OVERLAY_FACES, &where,
                "%td faces, only the first %d are kept", arrlen(overlay->faces), max);
    arrsetlen(overlay->faces, (size_t)max);
}

static void emit_water(struct bsp *bsp, const struct overlay *overlay)
{
    struct bsp_water_overlay record = overlay->record;
    record.face_count = (int32_t)arrlen(overlay->faces);
    for (int i = 0; i < record.face_count; i++)
        record.faces[i] = overlay->faces[i];
    arrput(bsp->water_overlays, record);
}

static void emit_plain(struct bsp *bsp, const struct overlay *overlay)
{
    const struct bsp_water_overlay *source = &overlay->record;
    struct bsp_overlay record = {.id = source->id,
                                 .texinfo = source->texinfo,
                                 .face_count = (int32_t)arrlen(overlay->faces),
                                 .render_order = source->render_order};
    for (int i = 0; i < record.face_count; i++)
        record.faces[i] = overlay->faces[i];
    memcpy(record.u, source->u, sizeof record.u);
    memcpy(record.v, source->v, sizeof record.v);
    memcpy(record.corners, source->corners, sizeof record.corners);
    memcpy(record.origin, source->origin, sizeof record.origin);
    memcpy(record.normal, source->normal, sizeof record.normal);
    arrput(bsp->overlays, record);
    arrput(bsp_rare(bsp)->overlay_fades, overlay->fade);
}

void overlays_emit(struct compile *compile)
{
    struct overlay_set *set = source_state(compile)->overlays;
    for (size_t i = 0; set && i < arrlenu(set->overlays); i++) {
        struct overlay *overlay = &set->overlays[i];
        fit_faces(compile, overlay, overlay->water ? WATER_OVERLAY_FACES : OVERLAY_FACES);
        if (overlay->water)
            emit_water(compile->bsp, overlay);
        else
            emit_plain(compile->bsp, overlay);
    }
}

/* --- overlay --- */

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
