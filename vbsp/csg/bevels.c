#include "vbsp/csg/brush_make.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"

/* A plane along an edge is no bevel if points of the brush lie farther in front of it than this:
 * the brush continues there. Points closer to it come from edges off the grid; the bevel is moved
 * out to them. */
#define BEVEL_EPSILON 0.1
/* The plane set may return a plane this much deeper, because it snaps and merges planes. */
#define SNAP_EPSILON (2 * EPSILON_PLANE_DIST)
/* A bevel within these tolerances of an existing side is redundant. */
#define SAME_EPSILON 0.01
/* Edges shorter than this have no reliable direction, nor does an edge along the axis. */
#define MIN_LENGTH 0.5

struct beveler {
    struct plane_set *planes;
    struct brush_side *sides; /* stb_ds array */
    struct bounds bounds;
    int contents;
};

static struct brush_side bevel_side(const struct beveler *beveler, int plane)
{
    /* Records must name a texinfo; the tools take that of the first side. */
    const struct brush_side *first = &beveler->sides[0];
    return (struct brush_side){.plane = plane,
                               .texinfo = first->texinfo,
                               .record_texinfo = first->record_texinfo,
                               .contents = beveler->contents,
                               .flags = first->flags,
                               .material = first->material,
                               .bevel = true};
}

static ptrdiff_t find_axial(const struct beveler *beveler, int axis, int sign)
{
    for (ptrdiff_t i = 0; i < arrlen(beveler->sides); i++) {
        int plane = beveler->sides[i].plane;
        if (beveler->planes->planes[plane].normal.e[axis] == sign)
            return i;
    }
    return -1;
}

static void add_axial(struct beveler *beveler)
{
    for (int slot = 0; slot < 6; slot++) {
        int axis = slot / 2, sign = slot % 2 ? 1 : -1;
        ptrdiff_t at = find_axial(beveler, axis, sign);
        if (at < 0) {
            struct vec3 normal = vec3(0, 0, 0);
            normal.e[axis] = sign;
            double dist = sign > 0 ? beveler->bounds.maxs.e[axis] : -beveler->bounds.mins.e[axis];
            struct brush_side bevel =
                bevel_side(beveler, plane_set_find(beveler->planes, normal, dist));
            at = arrlen(beveler->sides);
            arrput(beveler->sides, bevel);
        }
        struct brush_side moved = beveler->sides[slot];
        beveler->sides[slot] = beveler->sides[at];
        beveler->sides[at] = moved;
    }
}

/* Distance that the brush extends in front of the plane, negative if it stays behind. Any result
 * above BEVEL_EPSILON only means "too far". */
static double reach_beyond(const struct beveler *beveler, const struct plane *plane)
{
    double reach = -(double)INFINITY;
    for (size_t i = 0; i < arrlenu(beveler->sides) && reach <= BEVEL_EPSILON; i++) {
        const struct winding *winding = beveler->sides[i].winding;
        for (int j = 0; winding && j < winding->count; j++)
            reach = portable_fmax(reach, plane_distance(plane, winding->points[j]));
    }
    return reach;
}

/* The set snaps planes near an axis by rotating them about the origin, not about the brush, so that
 * they would cut it. The axial sides exist anyway. */
static bool is_near_axis(struct vec3 normal)
{
    for (int i = 0; i < 3; i++)
        if (fabs(normal.e[i]) > 1 - EPSILON_PLANE_NORMAL)
            return true;
    return false;
}

static bool is_known(const struct beveler *beveler, const struct plane *plane)
{
    if (is_near_axis(plane->normal))
        return true;
    for (size_t i = 0; i < arrlenu(beveler->sides); i++) {
        const struct plane *other = &beveler->planes->planes[beveler->sides[i].plane];
        struct vec3 turn = vec3_sub(other->normal, plane->normal);
        if (fabs(turn.x) < SAME_EPSILON && fabs(turn.y) < SAME_EPSILON &&
            fabs(turn.z) < SAME_EPSILON && fabs(other->dist - plane->dist) < SAME_EPSILON)
            return true;
    }
    return false;
}

static void add_bevel(struct beveler *beveler, struct plane plane)
{
    if (is_known(beveler, &plane))
        return;
    double reach = reach_beyond(beveler, &plane);
    if (reach > BEVEL_EPSILON)
        return;
    plane.dist += portable_fmax(reach, 0);
    int number = plane_set_find(beveler->planes, plane.normal, plane.dist);
    if (reach_beyond(beveler, &beveler->planes->planes[number]) > SNAP_EPSILON)
        return;
    struct brush_side bevel = bevel_side(beveler, number);
    arrput(beveler->sides, bevel);
}

/* Tries the planes through an edge that are parallel to an axis. */
static void bevel_edge(struct beveler *beveler, struct vec3 from, struct vec3 to)
{
    struct vec3 edge = vec3_sub(from, to);
    if (vec3_length(edge) < MIN_LENGTH)
        return;
    edge = vec3_normalize(edge);
    for (int i = 0; i < 3; i++)
        if (fabs(fabs(edge.e[i]) - 1) < 1e-5)
            return;
    for (int i = 0; i < 6; i++) {
        struct vec3 axis = vec3(0, 0, 0);
        axis.e[i / 2] = i % 2 ? 1 : -1;
        struct vec3 normal = vec3_cross(edge, axis);
        if (vec3_length(normal) < MIN_LENGTH)
            continue;
        struct plane plane = {.normal = vec3_normalize(normal)};
        plane.dist = vec3_dot(plane.normal, from);
        add_bevel(beveler, plane);
    }
}

static void add_along_edges(struct beveler *beveler)
{
    size_t count = arrlenu(beveler->sides);
    for (size_t i = 6; i < count; i++) {
        const struct winding *winding = beveler->sides[i].winding;
        for (int j = 0; winding && j < winding->count; j++)
            bevel_edge(beveler, winding->points[j], winding->points[(j + 1) % winding->count]);
    }
}

void brush_add_bevels(struct arena *arena, struct plane_set *planes, struct map_brush *brush)
{
    struct beveler beveler = {
        .planes = planes, .bounds = brush->bounds, .contents = brush->contents};
    for (int i = 0; i < brush->side_count; i++)
        arrput(beveler.sides, brush->sides[i]);
    add_axial(&beveler);
    if (arrlen(beveler.sides) > 6)
        add_along_edges(&beveler);
    brush->side_count = (int)arrlen(beveler.sides);
    brush->sides = ARENA_ARRAY(arena, struct brush_side, arrlenu(beveler.sides));
    memcpy(brush->sides, beveler.sides, arrlenu(beveler.sides) * sizeof *brush->sides);
    arrfree(beveler.sides);
}
