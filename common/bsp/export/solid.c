#include "common/bsp/export/solid.h"

#include "common/geom/epsilon.h"

/* Planes of the file are in single precision: corners far out are not more exact than this. */
#define CLIP_EPSILON 0.01

/* A volume that grows by more when slivers of sides are left out needs them. */
#define MAX_GROWTH 0.25

struct sides {
    size_t count;
    struct plane *planes;
    int *numbers;
};

static bool is_known(const struct sides *sides, const struct plane *plane)
{
    for (size_t i = 0; i < sides->count; i++)
        if (vec3_distance(sides->planes[i].normal, plane->normal) < EPSILON_PLANE_NORMAL &&
            fabs(sides->planes[i].dist - plane->dist) < EPSILON_PLANE_DIST)
            return true;
    return false;
}

static struct sides gather_sides(const struct bsp *bsp, const struct bsp_brush *brush,
                                 struct arena *arena)
{
    struct sides sides = {0, ARENA_ARRAY(arena, struct plane, (size_t)brush->side_count),
                          ARENA_ARRAY(arena, int, (size_t)brush->side_count)};
    for (int i = 0; i < brush->side_count; i++) {
        int number = brush->first_side + i;
        const struct bsp_plane *record = &bsp->planes[bsp->brush_sides[number].plane];
        struct vec3 normal = vec3_from_floats(record->normal);
        double length = vec3_length(normal);
        struct plane plane = {vec3_scale(normal, 1 / length), (double)record->dist / length};
        if (!(length > 0) || !isfinite(plane.dist) || is_known(&sides, &plane))
            continue;
        sides.planes[sides.count] = plane;
        sides.numbers[sides.count++] = number;
    }
    return sides;
}

/* Sets the sides with an area, or with any winding at all. */
static void enclose(const struct sides *sides, bool with_slivers, struct arena *arena,
                    struct solid *out)
{
    *out = (struct solid){.sides = ARENA_ARRAY(arena, struct solid_side, sides->count),
                          .bounds = bounds_empty()};
    for (size_t i = 0; i < sides->count; i++) {
        struct arena_mark mark = arena_mark(arena);
        struct winding *winding = winding_keep(
            arena, mark, winding_of_side(arena, sides->planes, sides->count, i, CLIP_EPSILON));
        if (!winding || winding->count < 3 || (!with_slivers && winding_is_tiny(winding)))
            continue;
        struct bounds bounds = winding_bounds(winding);
        bounds_add(&out->bounds, &bounds);
        out->sides[out->count++] =
            (struct solid_side){sides->numbers[i], sides->planes[i], winding};
    }
}

static bool is_larger(const struct bounds *a, const struct bounds *b)
{
    for (int k = 0; k < 3; k++)
        if (a->mins.e[k] < b->mins.e[k] - MAX_GROWTH || a->maxs.e[k] > b->maxs.e[k] + MAX_GROWTH)
            return true;
    return false;
}

bool solid_of_brush(const struct bsp *bsp, const struct bsp_brush *brush, struct arena *arena,
                    struct solid *out)
{
    struct sides sides = gather_sides(bsp, brush, arena);
    struct solid whole, plain;
    enclose(&sides, true, arena, &whole);
    enclose(&sides, false, arena, out);
    sides.count = (size_t)out->count;
    for (int i = 0; i < out->count; i++) {
        sides.planes[i] = out->sides[i].plane;
        sides.numbers[i] = out->sides[i].number;
    }
    enclose(&sides, false, arena, &plain);
    *out = plain.count >= 4 && !is_larger(&plain.bounds, &whole.bounds) ? plain : whole;
    return out->count >= 4;
}

struct vec3 solid_middle(const struct solid *solid)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < solid->count; i++)
        sum = vec3_add(sum, winding_center(solid->sides[i].winding));
    return vec3_scale(sum, 1.0 / solid->count);
}
