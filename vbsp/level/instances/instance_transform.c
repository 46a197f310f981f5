#include "vbsp/level/instances/instance_transform.h"

#include <string.h>

#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"

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

struct rotation rotation_from_angles(struct vec3 angles)
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

struct vec3 rotation_angles(const struct rotation *rotation)
{
    const struct vec3 *x = &rotation->axes[0], *y = &rotation->axes[1], *z = &rotation->axes[2];
    double level = portable_hypot(x->x, x->y);
    double pitch = portable_atan2(-x->z, level);
    double yaw = level > GIMBAL ? portable_atan2(x->y, x->x) : portable_atan2(-y->x, y->y);
    double roll = level > GIMBAL ? portable_atan2(y->z, z->z) : 0;
    return vec3(pitch / DEGREE, yaw / DEGREE, roll / DEGREE);
}

struct vec3 rotation_apply(const struct rotation *rotation, struct vec3 v)
{
    struct vec3 sum = vec3_scale(rotation->axes[0], v.x);
    sum = vec3_mad(sum, rotation->axes[1], v.y);
    return vec3_mad(sum, rotation->axes[2], v.z);
}

struct rotation rotation_multiply(const struct rotation *outer, const struct rotation *inner)
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

const char *vector_text(struct arena *arena, struct vec3 v)
{
    const char *x = number_text(arena, v.x), *y = number_text(arena, v.y);
    return arena_printf(arena, "%s %s %s", x, y, number_text(arena, v.z));
}

/* Keeps the texture in place on the side. */
static void place_axis(const struct instance_transform *transform, struct map_texture_axis *axis)
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
    place_axis(transform, &side->u);
    place_axis(transform, &side->v);
    if (side->displacement)
        side->displacement = place_displacement(transform, arena, side->displacement);
}
