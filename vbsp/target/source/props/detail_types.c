#include "vbsp/target/source/props/detail_types.h"

#include <math.h>
#include <stdlib.h>

#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"

#define NO_LIMIT (-2.0)

/* Units, or repetitions of a texture. */
#define LARGEST 65536.0

float detail_number(double value)
{
    return (float)portable_fmin(portable_fmax(value, -LARGEST), LARGEST);
}

struct detail_sprite detail_sprite_of(const double upper_left[2], const double lower_right[2],
                                      const double texture[4], double total)
{
    struct detail_sprite sprite;
    for (int i = 0; i < 2; i++) {
        sprite.upper_left[i] = detail_number(upper_left[i]);
        sprite.lower_right[i] = detail_number(lower_right[i]);
        /* From the centre of the first texel to that of the last. */
        sprite.texture_upper_left[i] = detail_number((texture[i] + 0.5) / total);
        sprite.texture_lower_right[i] = detail_number((texture[i] + texture[i + 2] - 0.5) / total);
    }
    return sprite;
}

static double number(const struct kv *block, const char *key, double otherwise)
{
    const char *text = kv_value(block, key);
    double value;
    return text && str_to_double(text, &value) ? value : otherwise;
}

static uint8_t byte_of(double value)
{
    return (uint8_t)portable_fmin(portable_fmax(value, 0), 255);
}

static double slope(const struct kv *block, const char *key)
{
    double angle = number(block, key, NO_LIMIT);
    return angle >= 0 && angle <= 180 ? portable_cos(angle * DEGREE) : NO_LIMIT;
}

static void read_sprite(const struct kv *block, const char *text, struct detail_kind *kind)
{
    double numbers[5] = {0, 0, 64, 64, 512}, size[4] = {0.5, 0, 20, 20};
    (void)str_to_doubles(text, numbers, 5);
    const char *size_text = kv_value(block, "spritesize");
    if (size_text)
        (void)str_to_doubles(size_text, size, 4);
    double x = -size[0] * size[2], y = -size[1] * size[3];
    kind->sprite = detail_sprite_of((double[2]){x, y + size[3]}, (double[2]){x + size[2], y},
                                    numbers, numbers[4] > 0 ? numbers[4] : 512);
    kind->type = DETAIL_SPRITE;
    const char *shape = kv_value(block, "sprite_shape");
    if (shape && str_equal_nocase(shape, "cross"))
        kind->type = DETAIL_CROSS;
    else if (shape && str_equal_nocase(shape, "tri"))
        kind->type = DETAIL_TRIPLE;
}

static bool read_kind(const struct kv *block, struct detail_kind *kind)
{
    const char *model = kv_value(block, "model"), *sprite = kv_value(block, "sprite");
    *kind = (struct detail_kind){.model = model, .type = DETAIL_MODEL};
    if (!model && !sprite)
        return false;
    if (!model)
        read_sprite(block, sprite, kind);
    kind->amount = number(block, "amount", 0);
    kind->min_slope = slope(block, "minAngle");
    kind->max_slope = slope(block, "maxAngle");
    kind->random_scale = portable_fmax(0, number(block, "spriterandomscale", 0));
    int orientation =
        (int)portable_fmin(portable_fmax(number(block, "detailOrientation", 0), 0), 2);
    kind->orientation = (enum detail_orientation)orientation;
    kind->upright = number(block, "upright", 0) != 0;
    kind->sway = byte_of(255 * number(block, "sway", 0));
    kind->shape_angle = byte_of(number(block, "shape_angle", 0));
    kind->shape_size = byte_of(255 * number(block, "shape_size", 0));
    return true;
}

static size_t count_blocks(const struct kv *block)
{
    size_t count = 0;
    for (const struct kv *child = block->children; child; child = child->next)
        count += !child->value;
    return count;
}

static void read_group(const struct kv *block, struct arena *arena, struct detail_group *group)
{
    group->alpha = number(block, "alpha", 1);
    group->kinds = ARENA_ARRAY(arena, struct detail_kind, count_blocks(block));
    double sum = 0;
    for (const struct kv *child = block->children; child; child = child->next) {
        struct detail_kind *kind = &group->kinds[group->kind_count];
        if (child->value || !read_kind(child, kind))
            continue;
        sum += kind->amount;
        kind->amount = sum;
        group->kind_count++;
    }
    for (size_t i = 0; i < group->kind_count && sum > 1; i++)
        group->kinds[i].amount /= sum;
}

static int by_alpha(const void *a, const void *b)
{
    const struct detail_group *first = a, *second = b;
    if (first->alpha < second->alpha || first->alpha > second->alpha)
        return first->alpha < second->alpha ? -1 : 1;
    return (first->number > second->number) - (first->number < second->number);
}

static struct detail_growth *read_growth(const struct kv *block, struct arena *arena)
{
    struct detail_growth *growth = ARENA_NEW(arena, struct detail_growth);
    growth->name = block->key;
    growth->density = portable_fmax(0, number(block, "density", 0));
    growth->groups = ARENA_ARRAY(arena, struct detail_group, count_blocks(block));
    for (const struct kv *child = block->children; child; child = child->next) {
        if (child->value)
            continue;
        struct detail_group *group = &growth->groups[growth->group_count];
        read_group(child, arena, group);
        group->number = growth->group_count++;
    }
    if (growth->group_count)
        qsort(growth->groups, growth->group_count, sizeof *growth->groups, by_alpha);
    return growth;
}

struct detail_growth *detail_types_read(const struct kv *root, struct arena *arena)
{
    struct detail_growth *first = NULL, **tail = &first;
    const struct kv *detail = kv_find(root, "detail");
    for (const struct kv *child = detail ? detail->children : NULL; child; child = child->next) {
        if (child->value)
            continue;
        *tail = read_growth(child, arena);
        tail = &(*tail)->next;
    }
    return first;
}

const struct detail_growth *detail_types_find(const struct detail_growth *first, const char *name)
{
    while (first && !str_equal_nocase(first->name, name))
        first = first->next;
    return first;
}
