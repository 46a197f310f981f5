/* Keys of the entities that objects become. */
#include <stdarg.h>
#include <stdlib.h>

#include "ballance/bmx/names.h"
#include "ballance/level/level_maker.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/transform.h"

/* Turns whose axes are this close to the matrix's. */
#define SAME_AXIS 1e-5

void maker_set(struct level_maker *maker, struct map_entity *entity, const char *key,
               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *value = arena_vprintf(&maker->level->arena, format, args);
    va_end(args);
    entity_set(&entity->keys, &maker->level->arena, key, value);
}

bool bmx_in_group(const struct bmx_object *object, const char *group)
{
    struct arena scratch = {0};
    bool found = false;
    for (size_t i = 0; i < arrlenu(object->groups) && !found; i++)
        found = strcmp(bmx_text_utf8(&object->groups[i], &scratch), group) == 0;
    arena_free(&scratch);
    return found;
}

/* --- names --- */

/* Returns a name as the value of a key can have it: without quotes and ends of lines. */
static const char *name_for_key(struct level_maker *maker, const struct bmx_text *text)
{
    const char *name = bmx_text_utf8(text, &maker->scratch);
    char *plain = arena_strdup(&maker->scratch, name);
    for (char *c = plain; *c; c++)
        *c = *c == '"' ? '\'' : (unsigned char)*c < ' ' ? ' ' : *c;
    if (strcmp(plain, name) != 0)
        maker_lose(maker, LOSS_NAME, "%s", name);
    return plain;
}

/* --- classes and groups --- */

static int compare_texts(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* The groups of an object, sorted, each once. */
static const char **list_groups(struct level_maker *maker, const struct bmx_object *object)
{
    const char **list = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(object->groups); i++)
        arrput(list, name_for_key(maker, &object->groups[i]));
    if (list)
        qsort(list, arrlenu(list), sizeof *list, compare_texts);
    for (size_t i = 0; i < arrlenu(list); i++)
        if (!kept || strcmp(list[kept - 1], list[i]) != 0)
            list[kept++] = list[i];
    arrsetlen(list, kept);
    return list;
}

/* Removes the group; returns false when it is not there. */
static bool take_group(const char **list, const char *group)
{
    for (size_t i = 0; i < arrlenu(list); i++)
        if (strcmp(list[i], group) == 0) {
            arrdel(list, i);
            return true;
        }
    return false;
}

/* `\;`, `\\` and `\=` stand for the characters in a name; other lists than those of what is beyond
 * the class begin with `=`. */
static void set_groups(struct level_maker *maker, struct map_entity *entity,
                       const char *const *list, bool complete)
{
    struct bytes text = {0};
    bytes_append_text(&text, "%s", complete ? "=" : "");
    for (size_t i = 0; i < arrlenu(list); i++) {
        bytes_append_text(&text, "%s", i ? ";" : "");
        for (const char *c = list[i]; *c; c++)
            bytes_append_text(&text, strchr(";\\=", *c) ? "\\%c" : "%c", *c);
    }
    if (complete || arrlen(list))
        maker_set(maker, entity, "_groups", "%.*s", (int)text.size, (const char *)text.data);
    bytes_free(&text);
}

/* Returns the number of a sector's group, or 0. */
static unsigned sector_of(const char *group)
{
    static const char prefix[] = "Sector_";
    const char *digits = group + sizeof prefix - 1;
    if (strncmp(group, prefix, sizeof prefix - 1) != 0 || !*digits || strlen(digits) > 6 ||
        digits[strspn(digits, "0123456789")])
        return 0;
    return (unsigned)strtoull(digits, NULL, 10);
}

/* Returns the number of the sector that the object is in, if it is in one. */
static unsigned take_sector(struct level_maker *maker, const char **list)
{
    unsigned sector = 0;
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(list); i++)
        if (sector_of(list[i])) {
            sector = sector_of(list[i]);
            count++;
        }
    const char *usual =
        arena_printf(&maker->scratch, sector < 9 ? "Sector_%02u" : "Sector_%u", sector);
    return count == 1 && take_group(list, usual) ? sector : 0;
}

static void set_component(struct level_maker *maker, const struct bmx_object *object,
                          struct map_entity *entity)
{
    const char *component = bmx_component(object->mesh);
    const char **groups = list_groups(maker, object);
    maker_set(maker, entity, "classname", "%s", arena_strlower(&maker->scratch, component));
    if (take_group(groups, bmx_component_group(component))) {
        unsigned sector = take_sector(maker, groups);
        if (sector)
            maker_set(maker, entity, "sector", "%u", sector);
        set_groups(maker, entity, groups, false);
    } else {
        set_groups(maker, entity, groups, true);
    }
    arrfree(groups);
}

static void set_object(struct level_maker *maker, const struct bmx_object *object,
                       struct map_entity *entity)
{
    const char **groups = list_groups(maker, object);
    unsigned number = 0;
    const struct bmx_class *kind = bmx_class_at(number);
    while (kind->group && !take_group(groups, kind->group))
        kind = bmx_class_at(++number);
    maker_set(maker, entity, "classname", "%s", kind->classname);
    set_groups(maker, entity, groups, false);
    bool hidden = object->is_hidden;
    if (hidden != kind->hidden)
        maker_set(maker, entity, "_hidden", "%d", hidden);
    arrfree(groups);
}

struct map_entity maker_entity(struct level_maker *maker, const struct bmx_object *object)
{
    struct map_entity entity = {.id = (int)arrlen(maker->level->entities)};
    if (object->is_component)
        set_component(maker, object, &entity);
    else
        set_object(maker, object, &entity);
    maker_set(maker, &entity, "targetname", "%s", name_for_key(maker, &object->name));
    if (object->is_component && object->is_hidden)
        maker_set(maker, &entity, "_hidden", "1");
    return entity;
}

struct map_entity maker_model_entity(struct level_maker *maker, const struct bmx_object *object)
{
    struct map_entity entity = {.id = (int)arrlen(maker->level->entities)};
    const char **groups = list_groups(maker, object);
    maker_set(maker, &entity, "classname", "%s", maker->engine->words.prop);
    maker_set(maker, &entity, "targetname", "%s", name_for_key(maker, &object->name));
    set_groups(maker, &entity, groups, false);
    if (object->is_hidden)
        maker_set(maker, &entity, "_hidden", "1");
    arrfree(groups);
    return entity;
}

/* --- places --- */

/* The axes of map space as a matrix places them. */
static struct transform axes_of(const float m[16])
{
    static const int rows[3] = {0, 8, 4}; /* x, y and z of the map are x, z and y of the file */
    struct transform out = {.origin = bmx_to_map(m + 12)};
    for (int i = 0; i < 3; i++)
        out.axes[i] = vec3_scale(bmx_to_map(m + rows[i]), 1 / BMX_MAP_SCALE);
    return out;
}

/* Pitch, yaw and roll of a turn. */
static struct vec3 angles_of(const struct vec3 axes[3])
{
    double flat = sqrt(axes[0].x * axes[0].x + axes[0].y * axes[0].y);
    struct vec3 angles = vec3(portable_atan2(-axes[0].z, flat) / DEGREE, 0, 0);
    if (flat > 1e-9) {
        angles.y = portable_atan2(axes[0].y, axes[0].x) / DEGREE;
        angles.z = portable_atan2(axes[1].z, axes[2].z) / DEGREE;
    } else {
        angles.y = portable_atan2(-axes[1].x, axes[1].y) / DEGREE;
    }
    for (int k = 0; k < 3; k++)
        if (fabs(angles.e[k] - rint(angles.e[k])) < 1e-4)
            angles.e[k] = rint(angles.e[k]) + 0.0;
    return angles;
}

/* Returns true when the matrix is a turn after a scale along the axes of the object, and sets
 * these. */
static bool decompose(const struct transform *axes, struct vec3 *angles, struct vec3 *scale)
{
    struct vec3 turned[3];
    for (int i = 0; i < 3; i++) {
        scale->e[i] = vec3_length(axes->axes[i]);
        if (fabs(scale->e[i] - rint(scale->e[i])) < 1e-6)
            scale->e[i] = rint(scale->e[i]);
        turned[i] = vec3_normalize(axes->axes[i]);
    }
    *angles = angles_of(turned);
    const struct transform again = transform_from_angles(vec3(0, 0, 0), *angles, 1);
    for (int i = 0; i < 3; i++)
        if (vec3_distance(again.axes[i], turned[i]) > SAME_AXIS)
            return false;
    return true;
}

/* Returns true when the origin alone tells the matrix. */
static bool is_plain_place(const float m[16], const char *origin)
{
    static const float none[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static const float one = 1;
    double at[3];
    if (!bmx_same_floats(m, none, 12) || !bmx_same_floats(m + 15, &one, 1) ||
        str_to_doubles(origin, at, 3) != 3)
        return false;
    const float back[3] = {(float)(at[0] / BMX_MAP_SCALE), (float)(at[2] / BMX_MAP_SCALE),
                           (float)(at[1] / BMX_MAP_SCALE)};
    return bmx_same_floats(m + 12, back, 3);
}

static void set_matrix(struct level_maker *maker, struct map_entity *entity, const float m[16])
{
    struct bytes text = {0};
    for (int i = 0; i < 16; i++)
        bytes_append_text(&text, "%s%.9g", i ? " " : "", (double)m[i]);
    maker_set(maker, entity, "_matrix", "%.*s", (int)text.size, (const char *)text.data);
    bytes_free(&text);
}

bool maker_place(struct level_maker *maker, struct map_entity *entity, const float matrix[16],
                 const char *scale_key)
{
    struct transform axes = axes_of(matrix);
    struct vec3 angles, scale;
    const char *origin = arena_printf(&maker->scratch, "%.10g %.10g %.10g", axes.origin.x + 0.0,
                                      axes.origin.y + 0.0, axes.origin.z + 0.0);
    maker_set(maker, entity, "origin", "%s", origin);
    bool plain = decompose(&axes, &angles, &scale);
    if (plain && vec3_length(angles) > 0)
        maker_set(maker, entity, "angles", "%.10g %.10g %.10g", angles.x, angles.y, angles.z);
    if (plain && vec3_distance(scale, vec3(1, 1, 1)) > 0)
        maker_set(maker, entity, scale_key, "%.10g %.10g %.10g", scale.x, scale.y, scale.z);
    if (!is_plain_place(matrix, origin))
        set_matrix(maker, entity, matrix);
    return plain;
}
