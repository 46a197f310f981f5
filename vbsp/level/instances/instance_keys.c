/* Moves, rotates and renames entity keys with their instance. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/level/instances/instance_internal.h"

/* Numbers at the end of a key are ignored: Template01 and Template16 are the same. */
struct known_key {
    const char *classname, *key;
    enum fgd_type type;
};

/* Override FGDs, some of which omit these or type them as strings. */
static const struct known_key always[] = {
    {"info_overlay", "BasisOrigin", FGD_POINT},
    {"info_overlay", "BasisU", FGD_DIRECTION},
    {"info_overlay", "BasisV", FGD_DIRECTION},
    {"info_overlay", "BasisNormal", FGD_DIRECTION},
    {"info_overlay", "sides", FGD_SIDES},
    {"info_overlay_transition", "sides", FGD_SIDES},
    {"info_overlay_transition", "sides2", FGD_SIDES},
    {"info_no_dynamic_shadow", "sides", FGD_SIDES},
    {"env_cubemap", "sides", FGD_SIDES},
};

/* Used if the FGD does not define the key. */
static const struct known_key usual[] = {
    {NULL, "origin", FGD_POINT},    {NULL, "angles", FGD_ANGLES},
    {NULL, "targetname", FGD_NAME}, {NULL, "parentname", FGD_NAME},
    {NULL, "target", FGD_NAME},     {"env_cubemap", "cubemapbounds", FGD_NAME},
};

/* Used if the FGD does not define the class, or without an FGD. */
static const struct known_key guessed[] = {
    {NULL, "movedir", FGD_ANGLES},
    {NULL, "pushdir", FGD_ANGLES},
    {NULL, "gibangles", FGD_ANGLES},
    {"light_spot", "pitch", FGD_NEGATIVE_PITCH},
    {"light_environment", "pitch", FGD_NEGATIVE_PITCH},
    {"light_dynamic", "pitch", FGD_NEGATIVE_PITCH},
    {NULL, "hingeaxis", FGD_AXIS},
    {NULL, "slideaxis", FGD_AXIS},
    {"phys_ballsocket", "attachpoint", FGD_POINT},
    {"keyframe_rope", "NextKey", FGD_NAME},
    {"move_rope", "NextKey", FGD_NAME},
    {NULL, "attach", FGD_NAME},
    {NULL, "BackgroundBModel", FGD_NAME},
    {NULL, "LightingOrigin", FGD_NAME},
    {NULL, "LightningStart", FGD_NAME},
    {NULL, "LightningEnd", FGD_NAME},
    {NULL, "LaserTarget", FGD_NAME},
    {NULL, "cpoint", FGD_NAME},
    {NULL, "damagefilter", FGD_NAME},
    {NULL, "filtername", FGD_NAME},
    {NULL, "ignore", FGD_NAME},
    {NULL, "killtarget", FGD_NAME},
    {NULL, "landmark", FGD_NAME},
    {NULL, "measuretarget", FGD_NAME},
    {NULL, "measurereference", FGD_NAME},
    {NULL, "targetreference", FGD_NAME},
    {NULL, "SourceEntityName", FGD_NAME},
    {NULL, "targetpoint", FGD_NAME},
    {NULL, "Template", FGD_NAME},
    {NULL, "usetargetname", FGD_NAME},
    {NULL, "panelpropname", FGD_NAME},
    {NULL, "nodeid", FGD_NODE},
    {NULL, "StartNode", FGD_NODE},
    {NULL, "EndNode", FGD_NODE},
};

static size_t length_without_number(const char *key)
{
    size_t length = strlen(key);
    while (length > 1 && key[length - 1] >= '0' && key[length - 1] <= '9')
        length--;
    return length;
}

static enum fgd_type find(const struct known_key *table, size_t count, const struct entity *keys,
                          const char *key)
{
    size_t length = length_without_number(key);
    for (size_t i = 0; i < count; i++) {
        bool same = str_equal_nocase(table[i].key, key) ||
                    (strlen(table[i].key) == length && str_starts_nocase(key, table[i].key));
        if (same && (!table[i].classname || entity_is(keys, table[i].classname)))
            return table[i].type;
    }
    return FGD_UNKNOWN;
}

#define FIND(table, keys, key) find(table, sizeof(table) / sizeof *(table), keys, key)

static enum fgd_type instance_key_type(const struct fgd *fgd, const struct entity *keys,
                                       const char *key)
{
    const char *classname = entity_value(keys, "classname");
    enum fgd_type type = FIND(always, keys, key);
    if (type == FGD_UNKNOWN && fgd)
        type = fgd_key_type(fgd, classname, key);
    if (type == FGD_UNKNOWN)
        type = FIND(usual, keys, key);
    if (type == FGD_UNKNOWN && !(fgd && fgd_has_class(fgd, classname)))
        type = FIND(guessed, keys, key);
    return type;
}

int instance_shift_id(int id, int shift)
{
    return id > 0 && id <= INT_MAX - shift ? id + shift : id;
}

static bool three_numbers(const char *text, struct vec3 *out)
{
    double n[4];
    if (str_to_doubles(text, n, 4) != 3)
        return false;
    *out = vec3(n[0], n[1], n[2]);
    return true;
}

static const char *place_point(const struct instance_context *context, const char *text)
{
    struct vec3 point;
    if (!three_numbers(text, &point))
        return text;
    return vector_text(context->arena, instance_transform_point(context->transform, point));
}

static const char *turn_direction(const struct instance_context *context, const char *text)
{
    struct vec3 v;
    if (!three_numbers(text, &v))
        return text;
    return vector_text(context->arena, rotation_apply(&context->transform->rotation, v));
}

static const char *place_axis(const struct instance_context *context, const char *text)
{
    const char *comma = strchr(text, ',');
    if (!comma)
        return text;
    const char *first = arena_strndup(context->arena, text, (size_t)(comma - text));
    return arena_printf(context->arena, "%s, %s", place_point(context, first),
                        place_point(context, comma + 1));
}

static const char *turn_angles(const struct instance_context *context, const char *text)
{
    struct vec3 angles;
    if (!three_numbers(text, &angles))
        return text;
    struct rotation own = rotation_from_angles(angles);
    struct rotation turned = rotation_multiply(&context->transform->rotation, &own);
    return vector_text(context->arena, rotation_angles(&turned));
}

/* A light's pitch counts upwards and overrides the one of its angles; the yaw is theirs. */
static void turn_pitch(const struct instance_context *context, const struct entity *before,
                       struct entity *after, const char *key)
{
    double pitch = entity_number(before, key, 0);
    struct vec3 angles = vec3(0, 0, 0);
    (void)entity_vector(before, "angles", &angles);
    struct rotation own = rotation_from_angles(vec3(-pitch, angles.y, angles.z));
    struct rotation turned = rotation_multiply(&context->transform->rotation, &own);
    struct vec3 result = rotation_angles(&turned);
    result.x = -result.x;
    const char *text = vector_text(context->arena, result);
    entity_set(after, context->arena, "angles", text);
    size_t length = strcspn(text, " ");
    entity_set(after, context->arena, key, arena_strndup(context->arena, text, length));
}

/* Ids of sides outside of the file are dropped. */
static const char *shift_sides(const struct instance_context *context, const char *text)
{
    struct id_cell *own = context->sides;
    struct bytes list = {0};
    for (char *end; *text; text = end) {
        int64_t id = strtoll(text, &end, 10);
        if (end == text)
            break;
        if (id <= 0 || id > INT_MAX || !own || hmgeti(own, (int)id) < 0)
            continue;
        bytes_append_text(&list, "%s%d", list.size ? " " : "",
                          instance_shift_id((int)id, context->part->side_shift));
    }
    const char *result =
        list.size ? arena_strndup(context->arena, (const char *)list.data, list.size) : "";
    bytes_free(&list);
    return result;
}

static const char *shift_node(const struct instance_context *context, const char *text)
{
    int64_t node;
    if (!str_to_int64(text, &node) || node <= 0 || node > INT_MAX)
        return text;
    return arena_printf(context->arena, "%d", instance_shift_id((int)node, context->node_shift));
}

/* Renames the target. The separators stay as they are, commas or ESC: games split at ESC where
 * there is one, so that a value with both would lose its parts. Valve's compilers write such
 * values. */
static const char *rename_output(const struct instance_context *context, const char *text)
{
    size_t length = strcspn(text, ",\x1b");
    const char *target = arena_strndup(context->arena, text, length);
    if (context->fgd && fgd_has_class(context->fgd, target))
        return text;
    const char *name = instance_rename(context->names, target, context->arena);
    return text[length] ? arena_printf(context->arena, "%s%s", name, text + length) : text;
}

static const char *convert(const struct instance_context *context, enum fgd_type type,
                           const char *text)
{
    const struct instance_transform *transform = context->transform;
    switch (type) {
    case FGD_NAME_OR_CLASS:
        if (context->fgd && fgd_has_class(context->fgd, text))
            return text;
        return instance_rename(context->names, text, context->arena);
    case FGD_NAME:
        return instance_rename(context->names, text, context->arena);
    case FGD_POINT:
        return transform->moved || transform->turned ? place_point(context, text) : text;
    case FGD_AXIS:
        return transform->moved || transform->turned ? place_axis(context, text) : text;
    case FGD_ANGLES:
        return transform->turned ? turn_angles(context, text) : text;
    case FGD_DIRECTION:
        return transform->turned ? turn_direction(context, text) : text;
    case FGD_SIDES:
        return shift_sides(context, text);
    case FGD_NODE:
        return shift_node(context, text);
    default:
        return text;
    }
}

static bool is_class_or_file(const char *key)
{
    return str_equal_nocase(key, "classname") || str_equal_nocase(key, "file");
}

struct entity instance_entity_keys(const struct instance_context *context,
                                   const struct entity *keys, bool has_position)
{
    struct entity replaced = {0}, out = {0};
    for (size_t i = 0; i < arrlenu(keys->pairs); i++) {
        struct key_value pair = keys->pairs[i];
        pair.value = instance_replace(context->names, pair.value, context->arena);
        arrput(replaced.pairs, pair);
    }
    const char *pitch = NULL;
    for (size_t i = 0; i < arrlenu(replaced.pairs); i++) {
        struct key_value pair = replaced.pairs[i];
        if (entity_lump_is_output(pair.value)) {
            pair.value = rename_output(context, pair.value);
        } else if (!is_class_or_file(pair.key)) {
            enum fgd_type type = instance_key_type(context->fgd, &replaced, pair.key);
            pair.value = convert(context, type, pair.value);
            if (type == FGD_NEGATIVE_PITCH && entity_number(&replaced, pair.key, 0) != 0)
                pitch = pair.key;
        }
        arrput(out.pairs, pair);
    }
    if (context->transform->turned && has_position && !entity_has(&out, "angles"))
        entity_set(&out, context->arena, "angles", turn_angles(context, "0 0 0"));
    if (context->transform->turned && has_position && !entity_has(&out, "origin"))
        entity_set(&out, context->arena, "origin", place_point(context, "0 0 0"));
    bool upright = !(context->transform->rotation.axes[2].z < 1);
    if (!upright && pitch)
        turn_pitch(context, &replaced, &out, pitch);
    arrfree(replaced.pairs);
    return out;
}

static const struct kv *place_block(const struct instance_context *context, const struct kv *block,
                                    bool inner)
{
    static const struct key_value overlay = {"classname", "info_overlay"};
    struct entity keys = {0};
    arrput(keys.pairs, overlay);
    struct kv *copy = ARENA_NEW(context->arena, struct kv);
    *copy = *block;
    struct kv **tail = &copy->children;
    for (const struct kv *node = block->children; node; node = node->next) {
        struct kv *child = ARENA_NEW(context->arena, struct kv);
        *child = *node;
        if (node->value) {
            const char *value = instance_replace(context->names, node->value, context->arena);
            child->value = convert(context, instance_key_type(NULL, &keys, node->key), value);
        } else if (!inner) {
            child->children = place_block(context, node, true)->children;
        }
        *tail = child;
        tail = &child->next;
    }
    arrfree(keys.pairs);
    return copy;
}

const struct kv *instance_overlay_block(const struct instance_context *context,
                                        const struct kv *block)
{
    return block ? place_block(context, block, false) : NULL;
}
