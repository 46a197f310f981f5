/* Moves, rotates and renames entity keys with their instance. */
#include "vbsp/level/instances/instance_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"
#include "vbsp/level/entity_lump.h"

/* --- instance transform --- */

/* Gimbal lock: below this horizontal part of the forward axis, yaw and roll are one. */
#define GIMBAL 1e-6

const struct instance_transform instance_transform_identity = {
    .rotation.axes = {{{{1, 0, 0}}}, {{{0, 1, 0}}}, {{{0, 0, 1}}}}};

static void sine_cosine(double degrees, double *sine, double *cosine)
{
    double quarter = fmod(degrees, 360) / 90;
    if (quarter < 0)
        quarter += 4;
    static const double sines[] = {0, 1, 0, -1, 0, 1};
    double whole = floor(quarter);
    if (quarter - whole == 0) {
        *sine = sines[(int)whole];
        *cosine = sines[(int)whole + 1];
    } else {
        *sine = portable_sin(degrees * DEGREE);
        *cosine = portable_cos(degrees * DEGREE);
    }
}

/* Angles are pitch, yaw and roll in degrees, as in entity keys; right angles are exact. */
static struct rotation rotation_from_angles(struct vec3 angles)
{
    double sp, cp, sy, cy, sr, cr;
    sine_cosine(angles.x, &sp, &cp);
    sine_cosine(angles.y, &sy, &cy);
    sine_cosine(angles.z, &sr, &cr);
    return (struct rotation){{
        vec3(cp * cy, cp * sy, -sp),
        vec3(sp * sr * cy - cr * sy, sp * sr * sy + cr * cy, sr * cp),
        vec3(sp * cr * cy + sr * sy, sp * cr * sy - sr * cy, cr * cp),
    }};
}

static struct vec3 rotation_angles(const struct rotation *rotation)
{
    const struct vec3 *x = &rotation->axes[0], *y = &rotation->axes[1], *z = &rotation->axes[2];
    double level = portable_hypot(x->x, x->y);
    double pitch = portable_atan2(-x->z, level);
    double yaw = level > GIMBAL ? portable_atan2(x->y, x->x) : portable_atan2(-y->x, y->y);
    double roll = level > GIMBAL ? portable_atan2(y->z, z->z) : 0;
    return vec3(pitch / DEGREE, yaw / DEGREE, roll / DEGREE);
}

static struct vec3 rotation_apply(const struct rotation *rotation, struct vec3 v)
{
    struct vec3 sum = vec3_scale(rotation->axes[0], v.x);
    sum = vec3_mad(sum, rotation->axes[1], v.y);
    return vec3_mad(sum, rotation->axes[2], v.z);
}

static struct rotation rotation_multiply(const struct rotation *outer, const struct rotation *inner)
{
    struct rotation product;
    for (int i = 0; i < 3; i++)
        product.axes[i] = rotation_apply(outer, inner->axes[i]);
    return product;
}

struct instance_transform instance_transform_new(struct vec3 origin, struct vec3 angles)
{
    struct instance_transform transform = {.rotation = rotation_from_angles(angles),
                                           .origin = origin};
    for (int i = 0; i < 3; i++)
        transform.turned |= vec3_distance(transform.rotation.axes[i],
                                          instance_transform_identity.rotation.axes[i]) > 0;
    transform.moved = vec3_length(origin) > 0;
    return transform;
}

struct vec3 instance_transform_point(const struct instance_transform *transform, struct vec3 point)
{
    return vec3_add(rotation_apply(&transform->rotation, point), transform->origin);
}

/* Formats a number without trailing zeros. */
static const char *number_text(struct arena *arena, double number)
{
    char *text = arena_printf(arena, "%.6f", number);
    size_t length = strlen(text);
    while (length && text[length - 1] == '0')
        length--;
    length -= length && text[length - 1] == '.';
    text[length] = 0;
    return strcmp(text, "-0") == 0 ? "0" : text;
}

/* Formats a vector as in maps, "1 2.5 -3", to a millionth. */
static const char *vector_text(struct arena *arena, struct vec3 v)
{
    const char *x = number_text(arena, v.x), *y = number_text(arena, v.y);
    return arena_printf(arena, "%s %s %s", x, y, number_text(arena, v.z));
}

/* Keeps the texture in place on the side. */
static void place_texture_axis(const struct instance_transform *transform,
                               struct map_texture_axis *axis)
{
    axis->axis = rotation_apply(&transform->rotation, axis->axis);
    axis->shift -= vec3_dot(transform->origin, axis->axis) / axis->scale;
}

/* Rotates a row of vectors. */
static const char *turn_row(const struct instance_transform *transform, struct arena *arena,
                            const char *text)
{
    enum { MAX = 3 * 17 };
    double numbers[MAX];
    size_t count = str_to_doubles(text, numbers, MAX);
    const char *row = "";
    for (size_t i = 0; i + 2 < count; i += 3) {
        struct vec3 v =
            rotation_apply(&transform->rotation, vec3(numbers[i], numbers[i + 1], numbers[i + 2]));
        row = arena_printf(arena, "%s%s%.9g %.9g %.9g", row, i ? " " : "", v.x, v.y, v.z);
    }
    return row;
}

static struct kv *turn_rows(const struct instance_transform *transform, struct arena *arena,
                            const struct kv *block)
{
    struct kv *copy = ARENA_NEW(arena, struct kv);
    *copy = *block;
    struct kv **tail = &copy->children;
    for (const struct kv *row = block->children; row; row = row->next) {
        *tail = ARENA_NEW(arena, struct kv);
        **tail = *row;
        if (row->value)
            (*tail)->value = turn_row(transform, arena, row->value);
        tail = &(*tail)->next;
    }
    return copy;
}

static const char *place_start(const struct instance_transform *transform, struct arena *arena,
                               const char *text)
{
    double n[3];
    if (str_to_doubles(text, n, 3) != 3)
        return text;
    struct vec3 p = instance_transform_point(transform, vec3(n[0], n[1], n[2]));
    return arena_printf(arena, "[%.9g %.9g %.9g]", p.x, p.y, p.z);
}

static const struct kv *place_displacement(const struct instance_transform *transform,
                                           struct arena *arena, const struct kv *block)
{
    static const char *const vectors[] = {"normals", "offsets", "offset_normals"};
    struct kv *copy = ARENA_NEW(arena, struct kv);
    *copy = *block;
    struct kv **tail = &copy->children;
    for (const struct kv *node = block->children; node; node = node->next) {
        struct kv *child = NULL;
        for (int i = 0; i < 3 && !child && !node->value; i++)
            if (str_equal_nocase(node->key, vectors[i]))
                child = turn_rows(transform, arena, node);
        if (!child) {
            child = ARENA_NEW(arena, struct kv);
            *child = *node;
        }
        if (node->value && str_equal_nocase(node->key, "startposition"))
            child->value = place_start(transform, arena, node->value);
        *tail = child;
        tail = &child->next;
    }
    return copy;
}

void instance_transform_side(const struct instance_transform *transform, struct arena *arena,
                             struct map_side *side)
{
    if (!transform->moved && !transform->turned)
        return;
    for (int i = 0; i < 3; i++)
        side->points[i] = instance_transform_point(transform, side->points[i]);
    place_texture_axis(transform, &side->u);
    place_texture_axis(transform, &side->v);
    if (side->displacement)
        side->displacement = place_displacement(transform, arena, side->displacement);
}

/* --- instance keys --- */

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

static bool three_numbers(const char *text, struct vec3 *out)
{
    double n[4];
    if (str_to_doubles(text, n, 4) != 3)
        return false;
    *out = vec3(n[0], n[1], n[2]);
    return true;
}

static bool keeps_names(const struct instance_context *context)
{
    return instance_rename(context->names, "x", context->arena)[1] == 0;
}

static void count_guess(const struct instance_context *context, struct instance_guesses *guesses,
                        const char *key, const char *value)
{
    if (!keeps_names(context))
        instance_guess_add(guesses, context->entity, key, value);
}

/* Without an FGD that has the class. Where others name an entity, some classes have a place. */
static enum fgd_type guessed_type(const struct instance_context *context, const struct entity *keys,
                                  const struct key_value *pair)
{
    struct vec3 point;
    enum fgd_type type = FIND(guessed, keys, pair->key);
    if (type == FGD_NAME && three_numbers(pair->value, &point))
        return FGD_POINT;
    if (type != FGD_UNKNOWN)
        return type;
    if (instance_file_has_name(context->file_names, pair->value, context->arena)) {
        count_guess(context, context->guesses, pair->key, pair->value);
        return FGD_NAME;
    }
    if (instance_file_may_have_name(context->file_names, pair->value, context->arena))
        count_guess(context, context->left, pair->key, pair->value);
    return FGD_UNKNOWN;
}

static enum fgd_type instance_key_type(const struct instance_context *context,
                                       const struct entity *keys, const struct key_value *pair)
{
    const char *classname = entity_value(keys, "classname"), *key = pair->key;
    const struct fgd *fgd = context->fgd;
    enum fgd_type type = FIND(always, keys, key);
    if (type == FGD_UNKNOWN && fgd)
        type = fgd_key_type(fgd, classname, key);
    if (type == FGD_UNKNOWN)
        type = FIND(usual, keys, key);
    if (type == FGD_UNKNOWN && !(fgd && fgd_has_class(fgd, classname)))
        type = guessed_type(context, keys, pair);
    return type;
}

int instance_shift_id(int id, int shift)
{
    return id > 0 && id <= INT_MAX - shift ? id + shift : id;
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

/* Inputs of the games' base classes whose parameter is the name of an entity. */
static bool takes_name(const char *input)
{
    static const char *const inputs[] = {
        "ForceSpawnAtEntityOrigin",
        "SetDamageFilter",
        "SetEnemyFilter",
        "SetFogController",
        "SetFollowTarget",
        "SetLookTarget",
        "SetMeasureReference",
        "SetMeasureTarget",
        "SetParent",
        "SetPartner",
        "SetRemoteDestination",
        "SetTarget",
        "SetTargetEntity",
        "SetTargetReference",
        "TeleportToPathNode",
        "TeleportToPathTrack",
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (str_equal_nocase(inputs[i], input))
            return true;
    return false;
}

/* The value that AddOutput gives to a key, or the target of the output that it adds: "target door",
 * "OnOpen door:Close::0:1". */
static const char *rename_added(const struct instance_context *context, const char *parameter)
{
    size_t key = strcspn(parameter, " ");
    const char *value = parameter + key + strspn(parameter + key, " ");
    size_t length = strcspn(value, ":");
    const char *name = arena_strndup(context->arena, value, length);
    if (!instance_file_has_name(context->file_names, name, context->arena))
        return parameter;
    name = instance_rename_names(context->names, context->file_names, name, context->arena);
    return arena_printf(context->arena, "%.*s%s%s", (int)(value - parameter), parameter, name,
                        value + length);
}

/* An FGD does not tell what the parameters of inputs are. */
static const char *rename_parameter(const struct instance_context *context, const char *input,
                                    const char *parameter)
{
    if (str_equal_nocase(input, "AddOutput"))
        return rename_added(context, parameter);
    if (!instance_file_has_name(context->file_names, parameter, context->arena))
        return parameter;
    if (takes_name(input))
        return instance_rename_names(context->names, context->file_names, parameter,
                                     context->arena);
    count_guess(context, context->left, input, parameter);
    return parameter;
}

/* `rest` begins with the separator before the input; delay and number of times are its last parts.
 */
static const char *rename_rest(const struct instance_context *context, const char *rest)
{
    static const char separators[] = ",\x1b";
    const char *input = rest + 1, *after = strpbrk(input, separators);
    const char *last[2] = {NULL, NULL};
    for (const char *at = after; at; at = strpbrk(at + 1, separators)) {
        last[0] = last[1];
        last[1] = at;
    }
    if (!after || !last[0] || last[0] <= after)
        return rest;
    struct arena *arena = context->arena;
    const char *parameter = arena_strndup(arena, after + 1, (size_t)(last[0] - after - 1));
    const char *renamed =
        rename_parameter(context, arena_strndup(arena, input, (size_t)(after - input)), parameter);
    if (renamed == parameter)
        return rest;
    return arena_printf(arena, "%.*s%s%s", (int)(after + 1 - rest), rest, renamed, last[0]);
}

/* Renames the target, and parameters that are names. The separators stay as they are, commas or
 * ESC: games split at ESC where there is one, so that a value with both would lose its parts.
 * Valve's compilers write such values. */
static const char *rename_output(const struct instance_context *context, const char *text)
{
    size_t length = strcspn(text, ",\x1b");
    const char *name = arena_strndup(context->arena, text, length);
    if (!text[length])
        return text;
    if (!context->fgd || !fgd_has_class(context->fgd, name))
        name = instance_rename(context->names, name, context->arena);
    return arena_printf(context->arena, "%s%s", name, rename_rest(context, text + length));
}

static const char *convert(const struct instance_context *context, enum fgd_type type,
                           const char *text)
{
    const struct instance_transform *transform = context->transform;
    switch (type) {
    case FGD_NAME_OR_CLASS:
        if (context->fgd && fgd_has_class(context->fgd, text))
            return text;
        return instance_rename_names(context->names, context->file_names, text, context->arena);
    case FGD_NAME:
        return instance_rename_names(context->names, context->file_names, text, context->arena);
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
            enum fgd_type type = instance_key_type(context, &replaced, &pair);
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
    const struct instance_context plain = {.arena = context->arena}; /* no FGD has these keys */
    struct entity keys = {0};
    arrput(keys.pairs, overlay);
    struct kv *copy = ARENA_NEW(context->arena, struct kv);
    *copy = *block;
    struct kv **tail = &copy->children;
    for (const struct kv *node = block->children; node; node = node->next) {
        struct kv *child = ARENA_NEW(context->arena, struct kv);
        *child = *node;
        if (node->value) {
            const struct key_value pair = {
                node->key, instance_replace(context->names, node->value, context->arena)};
            child->value = convert(context, instance_key_type(&plain, &keys, &pair), pair.value);
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
