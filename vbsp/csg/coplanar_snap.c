
#include <stdint.h>
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_make.h"

/* Planes are hashed by their normals, in cells of this size: the largest difference of normals that
 * is snapped. */
#define NORMAL_CELL 0.02

struct cell {
    int64_t key;
    int *value; /* stb_ds array of plane numbers */
};

struct snapper {
    const struct plane_set *planes;
    struct cell *cells;
    bool *added; /* per plane: it is in a cell */
};

static int64_t cell_key(const int cell[3])
{
    int64_t key = 0;
    for (int i = 0; i < 3; i++)
        key = key * 1024 + cell[i] + 512;
    return key;
}

static void find_cell(struct vec3 normal, int cell[3])
{
    for (int i = 0; i < 3; i++)
        cell[i] = (int)floor(normal.e[i] / NORMAL_CELL);
}

/* The largest distance of a point from the plane; stops once it exceeds the tolerance. */
static double max_distance(const struct plane *plane, const struct winding *winding)
{
    double distance = 0;
    for (int i = 0; i < winding->count && distance <= EPSILON_PLANE_DIST; i++)
        distance = portable_fmax(distance, fabs(plane_distance(plane, winding->points[i])));
    return distance;
}

/* The plane closest to the winding, or -1. */
static int find_plane(struct snapper *snapper, struct vec3 normal, const struct winding *winding)
{
    double best = EPSILON_PLANE_DIST;
    int center[3], found = -1;
    find_cell(normal, center);
    for (int i = 0; i < 27; i++) {
        int cell[3] = {center[0] + i / 9 - 1, center[1] + i / 3 % 3 - 1, center[2] + i % 3 - 1};
        ptrdiff_t at = hmgeti(snapper->cells, cell_key(cell));
        const int *numbers = at < 0 ? NULL : snapper->cells[at].value;
        for (ptrdiff_t k = 0; k < arrlen(numbers); k++) {
            double distance = max_distance(&snapper->planes->planes[numbers[k]], winding);
            if (distance > best || (distance >= best && found >= 0 && numbers[k] > found))
                continue;
            best = distance;
            found = numbers[k];
        }
    }
    return found;
}

static void add_plane(struct snapper *snapper, int plane)
{
    if (snapper->added[plane])
        return;
    snapper->added[plane] = true;
    int cell[3];
    find_cell(snapper->planes->planes[plane].normal, cell);
    int64_t key = cell_key(cell);
    ptrdiff_t at = hmgeti(snapper->cells, key);
    if (at < 0) {
        struct cell fresh = {.key = key};
        hmputs(snapper->cells, fresh);
        at = hmgeti(snapper->cells, key);
    }
    arrput(snapper->cells[at].value, plane);
}

/* A side and its width: the narrower a side, the less accurate its normal. */
struct wide_side {
    struct map_brush *brush;
    struct brush_side *side;
    double width;
    size_t order;
};

static double width_of(const struct winding *winding)
{
    double length = 0;
    for (int i = 0; i < winding->count; i++)
        for (int j = 0; j < i; j++)
            length = portable_fmax(length, vec3_distance(winding->points[i], winding->points[j]));
    return length > 0 ? winding_area(winding) / length : 0;
}

/* Widest first. */
static int compare_sides(const void *a, const void *b)
{
    const struct wide_side *x = a, *y = b;
    if (x->width > y->width || x->width < y->width)
        return x->width > y->width ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static struct wide_side *list_sides(const struct compile *compile)
{
    struct wide_side *sides = NULL;
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        struct map_brush *brush = compile->brushes[i];
        for (int k = 0; k < brush->side_count; k++) {
            struct brush_side *side = &brush->sides[k];
            if (side->bevel || !side->winding)
                continue;
            struct wide_side entry = {brush, side, width_of(side->winding), arrlenu(sides)};
            arrput(sides, entry);
        }
    }
    if (arrlenu(sides) > 1)
        qsort(sides, arrlenu(sides), sizeof *sides, compare_sides);
    return sides;
}

static bool has_plane(const struct map_brush *brush, int plane)
{
    for (int i = 0; i < brush->side_count; i++)
        if (!brush->sides[i].bevel && (brush->sides[i].plane & ~1) == (plane & ~1))
            return true;
    return false;
}

/* Axial planes are not moved: axial snapping has already merged close ones. */
static void snap_side(struct snapper *snapper, const struct wide_side *wide)
{
    struct brush_side *side = wide->side;
    if (snapper->planes->types[side->plane] > PLANE_Z) {
        struct vec3 normal = snapper->planes->planes[side->plane].normal;
        int found = find_plane(snapper, normal, side->winding);
        if (found >= 0 && found != side->plane && !has_plane(wide->brush, found))
            side->plane = found;
        if (found >= 0)
            return;
    }
    add_plane(snapper, side->plane);
    add_plane(snapper, side->plane ^ 1);
}

static void reshape_brush(struct compile *compile, struct map_brush *brush)
{
    bool moved = false;
    for (int i = 0; i < brush->side_count; i++)
        moved |= brush->sides[i].plane != brush->sides[i].record_plane;
    if (!moved || brush_add_windings(compile, brush) >= 4)
        return;
    /* The brush is thinner than the distance by which its sides moved. */
    for (int i = 0; i < brush->side_count; i++)
        brush->sides[i].plane = brush->sides[i].record_plane;
    brush_add_windings(compile, brush);
}

void snap_coplanar_sides(struct compile *compile)
{
    struct snapper snapper = {.planes = &compile->planes};
    snapper.added = memory_zalloc(arrlenu(compile->planes.planes) + 1, sizeof *snapper.added);
    struct wide_side *sides = list_sides(compile);
    for (size_t i = 0; i < arrlenu(sides); i++)
        snap_side(&snapper, &sides[i]);
    for (size_t i = 0; i < arrlenu(compile->brushes); i++)
        reshape_brush(compile, compile->brushes[i]);
    for (ptrdiff_t i = 0; i < hmlen(snapper.cells); i++)
        arrfree(snapper.cells[i].value);
    hmfree(snapper.cells);
    memory_free(snapper.added);
    arrfree(sides);
}
