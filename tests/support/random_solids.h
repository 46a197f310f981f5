/* Random convex solids as planes, and what is known of them without a compiler: contents at points
 * and the volume of their union. */
#ifndef TESTS_RANDOM_SOLIDS_H
#define TESTS_RANDOM_SOLIDS_H

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/geom/angle.h"
#include "common/geom/winding.h"

enum { SOLID_SIDES = 16 };

struct test_solid {
    struct plane planes[SOLID_SIDES]; /* face outwards */
    size_t count;
};

/* A stream of numbers. */
struct dice {
    uint64_t seed, thrown;
};

static inline double dice_between(struct dice *dice, double low, double high)
{
    return low + (high - low) * random_unit(dice->seed, dice->thrown++);
}

static inline int dice_of(struct dice *dice, int sides)
{
    return (int)dice_between(dice, 0, sides) % sides;
}

/* The lower distances may be equal for solids that touch and coincide. */
static inline double dice_on_grid(struct dice *dice, double reach, double grid)
{
    return floor(dice_between(dice, -reach, reach) / grid + 0.5) * grid;
}

static inline struct test_solid solid_box(struct vec3 mins, struct vec3 maxs)
{
    struct test_solid solid = {.count = 6};
    for (int i = 0; i < 3; i++) {
        solid.planes[2 * i] = (struct plane){vec3(0, 0, 0), maxs.e[i]};
        solid.planes[2 * i + 1] = (struct plane){vec3(0, 0, 0), -mins.e[i]};
        solid.planes[2 * i].normal.e[i] = 1;
        solid.planes[2 * i + 1].normal.e[i] = -1;
    }
    return solid;
}

static inline void solid_cut(struct test_solid *solid, struct vec3 normal, struct vec3 through)
{
    normal = vec3_normalize(normal);
    solid->planes[solid->count++] = (struct plane){normal, vec3_dot(normal, through)};
}

/* Turns about an axis through a point. */
static inline void solid_turn(struct test_solid *solid, int axis, double angle, struct vec3 about)
{
    double s = portable_sin(angle), c = portable_cos(angle);
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    for (size_t i = 0; i < solid->count; i++) {
        struct plane *plane = &solid->planes[i];
        struct vec3 n = plane->normal, turned = n;
        double off = plane->dist - vec3_dot(n, about);
        turned.e[x] = n.e[x] * c - n.e[y] * s;
        turned.e[y] = n.e[x] * s + n.e[y] * c;
        *plane = (struct plane){turned, off + vec3_dot(turned, about)};
    }
}

static inline struct vec3 dice_direction(struct dice *dice)
{
    struct vec3 v;
    do
        for (int i = 0; i < 3; i++)
            v.e[i] = dice_between(dice, -1, 1);
    while (vec3_length(v) > 1 || vec3_length(v) < 0.1);
    return v;
}

/* A box, a wedge, a turned box or a box without some of its corners; half of them on a grid. */
static inline struct test_solid dice_solid(struct dice *dice, double reach)
{
    double grid = dice_of(dice, 2) ? 16 : 0.125;
    struct vec3 mins, maxs;
    for (int i = 0; i < 3; i++) {
        mins.e[i] = dice_on_grid(dice, reach, grid);
        maxs.e[i] = mins.e[i] + 16 + fabs(dice_on_grid(dice, reach / 2, grid));
    }
    struct test_solid solid = solid_box(mins, maxs);
    struct vec3 middle = vec3_scale(vec3_add(mins, maxs), 0.5);
    switch (dice_of(dice, 4)) {
    case 0:
        break;
    case 1: {
        int axis = dice_of(dice, 3), x = (axis + 1) % 3, y = (axis + 2) % 3;
        struct vec3 normal = vec3(0, 0, 0);
        normal.e[x] = (maxs.e[y] - mins.e[y]) * (dice_of(dice, 2) ? 1 : -1);
        normal.e[y] = (maxs.e[x] - mins.e[x]) * (dice_of(dice, 2) ? 1 : -1);
        solid_cut(&solid, normal, middle);
        break;
    }
    case 2: {
        int axis = dice_of(dice, 3);
        solid_turn(&solid, axis, dice_of(dice, 2) ? PI / 4 : dice_between(dice, 0, PI), middle);
        break;
    }
    default:
        for (int i = 1 + dice_of(dice, 5); i > 0; i--) {
            struct vec3 normal = dice_direction(dice);
            solid_cut(&solid, normal,
                      vec3_mad(middle, vec3_normalize(normal), dice_between(dice, 2, 12)));
        }
    }
    return solid;
}

/* Returns the largest distance in front of a plane: below 0 inside. */
static inline double solid_distance(const struct test_solid *solid, struct vec3 p)
{
    double max = -1e30;
    for (size_t i = 0; i < solid->count; i++)
        max = portable_fmax(max, plane_distance(&solid->planes[i], p));
    return max;
}

/* Returns true when an earlier plane is the same. */
static inline bool plane_is_double(const struct plane *planes, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (vec3_distance(planes[i].normal, planes[number].normal) < 1e-9 &&
            fabs(planes[i].dist - planes[number].dist) < 1e-9)
            return true;
    return false;
}

static inline double planes_volume(const struct plane *planes, size_t count)
{
    struct arena arena = {0};
    double volume = 0;
    struct vec3 apex = vec3(0, 0, 0);
    bool has_apex = false;
    for (size_t i = 0; i < count; i++) {
        const struct winding *side =
            plane_is_double(planes, i) ? NULL : winding_of_side(&arena, planes, count, i, 1e-9);
        if (side && !has_apex)
            apex = winding_center(side);
        has_apex |= side != NULL;
        if (side)
            volume -= plane_distance(&planes[i], apex) * winding_area(side) / 3;
    }
    arena_free(&arena);
    return volume;
}

/* Volume of what the planes enclose outside of the first `count` solids. */
static inline double volume_outside(struct plane **planes, const struct test_solid *solids,
                                    size_t count)
{
    size_t own = arrlenu(*planes);
    double volume = planes_volume(*planes, own);
    if (!(volume > 1e-9) || !count)
        return volume > 1e-9 ? volume : 0;
    const struct test_solid *last = &solids[count - 1];
    for (size_t i = 0; i < last->count; i++) /* inside of it, to see whether it is cut at all */
        arrput(*planes, last->planes[i]);
    bool cut = planes_volume(*planes, arrlenu(*planes)) > 1e-9;
    arrsetlen(*planes, own);
    if (!cut)
        return volume_outside(planes, solids, count - 1);
    volume = 0;
    for (size_t i = 0; i < last->count; i++) {
        arrput(*planes, plane_flip(&last->planes[i]));
        volume += volume_outside(planes, solids, count - 1);
        arrlast(*planes) = last->planes[i];
    }
    arrsetlen(*planes, own);
    return volume;
}

static inline double union_volume(const struct test_solid *solids, size_t count)
{
    double volume = 0;
    for (size_t i = 0; i < count; i++) {
        struct plane *planes = NULL;
        for (size_t k = 0; k < solids[i].count; k++)
            arrput(planes, solids[i].planes[k]);
        volume += volume_outside(&planes, solids, i);
        arrfree(planes);
    }
    return volume;
}

#endif
