#include "vbsp/target/quake3/patches/patch_collide.h"

#include "common/core/array.h"
#include "common/diag/codes/quake3_patches.def"
#include "common/geom/plane.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* A curve this far from its chord is split, in units. */
#define COLLIDE_FLAT 16.0

/* Columns whose points are this close on each axis are one. */
#define COLLIDE_WELD 0.1

/* Tolerances of equal planes. */
#define SAME_NORMAL 1e-4
#define SAME_DIST   0.02

/* Shorter edges, and bevels along their edge, are skipped. */
#define MIN_EDGE  0.5
#define MIN_BEVEL 0.5

struct grid {
    int columns, rows;
    bool overflows;
    struct vec3 points[PATCH_MAX_GRID][PATCH_MAX_GRID]; /* [column][row] */
};

static void turn(struct grid *grid)
{
    int max = grid->columns > grid->rows ? grid->columns : grid->rows, columns = grid->columns;
    for (int i = 0; i < max; i++)
        for (int k = 0; k < i; k++) {
            struct vec3 swapped = grid->points[i][k];
            grid->points[i][k] = grid->points[k][i];
            grid->points[k][i] = swapped;
        }
    grid->columns = grid->rows;
    grid->rows = columns;
}

static void drop_column(struct grid *grid, int column)
{
    grid->columns--;
    memmove(grid->points[column], grid->points[column + 1],
            (size_t)(grid->columns - column) * sizeof grid->points[0]);
}

static bool is_flat(const struct grid *grid, int column)
{
    for (int row = 0; row < grid->rows; row++) {
        struct vec3 ends = vec3_add(grid->points[column][row], grid->points[column + 2][row]);
        struct vec3 bow = vec3_mad(ends, grid->points[column + 1][row], -2);
        if (vec3_length(bow) / 4 >= COLLIDE_FLAT)
            return false;
    }
    return true;
}

/* Splits the Bezier patch that starts at a column. */
static void split_piece(struct grid *grid, int column)
{
    memmove(grid->points[column + 4], grid->points[column + 2],
            (size_t)(grid->columns - column - 2) * sizeof grid->points[0]);
    for (int row = 0; row < grid->rows; row++) {
        struct vec3 a = grid->points[column][row], b = grid->points[column + 1][row],
                    c = grid->points[column + 4][row];
        struct vec3 ab = vec3_lerp(a, b, 0.5), bc = vec3_lerp(b, c, 0.5);
        grid->points[column + 1][row] = ab;
        grid->points[column + 2][row] = vec3_lerp(ab, bc, 0.5);
        grid->points[column + 3][row] = bc;
    }
    grid->columns += 2;
}

/* Removes the middle column of each flat Bezier patch. */
static void flatten_columns(struct grid *grid)
{
    for (int column = 0; column + 2 < grid->columns;) {
        if (is_flat(grid, column)) {
            drop_column(grid, ++column);
        } else if (grid->columns + 2 > PATCH_MAX_GRID) {
            grid->overflows = true;
            return;
        } else {
            split_piece(grid, column);
        }
    }
}

static bool columns_are_one(const struct grid *grid, int column)
{
    for (int row = 0; row < grid->rows; row++) {
        struct bounds a = {grid->points[column][row], grid->points[column][row]};
        struct bounds b = {grid->points[column + 1][row], grid->points[column + 1][row]};
        if (!bounds_touch(&a, &b, COLLIDE_WELD))
            return false;
    }
    return true;
}

static void weld_columns(struct grid *grid)
{
    for (int column = 0; column + 1 < grid->columns;) {
        if (columns_are_one(grid, column))
            drop_column(grid, column + 1);
        else
            column++;
    }
}

static void make_grid(const struct draw_surface *patch, struct grid *grid)
{
    grid->columns = patch->patch_columns;
    grid->rows = patch->patch_rows;
    for (int row = 0; row < grid->rows; row++)
        for (int column = 0; column < grid->columns; column++)
            grid->points[column][row] = patch->vertices[row * grid->columns + column].p;
    for (int i = 0; i < 2 && !grid->overflows; i++) {
        flatten_columns(grid);
        weld_columns(grid);
        turn(grid);
    }
}

struct counter {
    const struct grid *grid;
    struct plane *planes; /* stb_ds array */
    int (*squares)[2];    /* stb_ds array, one per square: planes of its triangles; -1: no area */
    int facets;
};

/* A plane and its opposite are one. */
static int find_plane(struct counter *counter, struct vec3 normal, double dist)
{
    for (size_t i = 0; i < arrlenu(counter->planes); i++) {
        const struct plane *plane = &counter->planes[i];
        double side = vec3_dot(plane->normal, normal) < 0 ? -1 : 1;
        if (fabs(plane->dist - side * dist) < SAME_DIST &&
            fabs(plane->normal.x - side * normal.x) < SAME_NORMAL &&
            fabs(plane->normal.y - side * normal.y) < SAME_NORMAL &&
            fabs(plane->normal.z - side * normal.z) < SAME_NORMAL)
            return (int)i;
    }
    arrput(counter->planes, ((struct plane){normal, dist}));
    return (int)arrlen(counter->planes) - 1;
}

static int plane_of(struct counter *counter, struct vec3 a, struct vec3 b, struct vec3 c)
{
    struct vec3 across = vec3_cross(vec3_sub(c, a), vec3_sub(b, a));
    if (!(vec3_length(across) > 1e-6))
        return -1;
    across = vec3_normalize(across);
    return find_plane(counter, across, vec3_dot(across, a));
}

static void corners_of(const struct grid *grid, int square, struct vec3 out[4])
{
    int column = square / (grid->rows - 1), row = square % (grid->rows - 1);
    out[0] = grid->points[column][row];
    out[1] = grid->points[column + 1][row];
    out[2] = grid->points[column + 1][row + 1];
    out[3] = grid->points[column][row + 1];
}

static void count_squares(struct counter *counter)
{
    int squares = (counter->grid->columns - 1) * (counter->grid->rows - 1);
    for (int i = 0; i < squares; i++) {
        struct vec3 p[4];
        corners_of(counter->grid, i, p);
        arrsetlen(counter->squares, (size_t)i + 1);
        counter->squares[i][0] = plane_of(counter, p[0], p[1], p[2]);
        counter->squares[i][1] = plane_of(counter, p[2], p[3], p[0]);
        int a = counter->squares[i][0], b = counter->squares[i][1];
        counter->facets += a == b ? a >= 0 : (a >= 0) + (b >= 0);
    }
}

/* The plane of the adjacent triangle across an edge of a square: along it, row before; column
 * after; row after; column before. -1: the patch ends there. */
static int adjacent_plane(const struct counter *counter, int square, int edge)
{
    int rows = counter->grid->rows - 1, columns = counter->grid->columns - 1;
    int column = square / rows, row = square % rows;
    column += (edge == 1) - (edge == 3);
    row += (edge == 2) - (edge == 0);
    if (column < 0 || row < 0 || column >= columns || row >= rows)
        return -1;
    return counter->squares[column * rows + row][edge == 0 || edge == 1];
}

/* If no other plane bounds a facet at an edge, one perpendicular to it does. */
static void add_borders(struct counter *counter, int square, const struct vec3 p[4])
{
    for (int edge = 0; edge < 4; edge++) {
        int own = counter->squares[square][edge >= 2],
            other = adjacent_plane(counter, square, edge);
        if (own < 0)
            own = counter->squares[square][edge < 2];
        if (own < 0 || (other >= 0 && other != own))
            continue;
        struct vec3 up = vec3_mad(p[edge], counter->planes[own].normal, 4);
        plane_of(counter, p[edge], p[(edge + 1) % 4], up);
    }
}

static void add_edge_bevel(struct counter *counter, const struct vec3 *p, int count, int edge,
                           struct vec3 normal)
{
    double dist = vec3_dot(normal, p[edge]);
    for (int i = 0; i < count; i++)
        if (vec3_dot(normal, p[i]) - dist > COLLIDE_WELD)
            return;
    find_plane(counter, normal, dist);
}

static void add_bevels(struct counter *counter, const struct vec3 *p, int count)
{
    struct bounds bounds = bounds_empty();
    for (int i = 0; i < count; i++)
        bounds_add_point(&bounds, p[i]);
    for (int axis = 0; axis < 3; axis++) {
        struct vec3 normal = vec3(axis == 0, axis == 1, axis == 2);
        find_plane(counter, normal, bounds.maxs.e[axis]);
        find_plane(counter, normal, bounds.mins.e[axis]);
    }
    for (int i = 0; i < count; i++) {
        struct vec3 edge = vec3_sub(p[i], p[(i + 1) % count]);
        if (vec3_length(edge) < MIN_EDGE)
            continue;
        edge = vec3_normalize(edge);
        for (int axis = 0; axis < 3; axis++) {
            struct vec3 normal = vec3_cross(edge, vec3(axis == 0, axis == 1, axis == 2));
            if (vec3_length(normal) < MIN_BEVEL)
                continue;
            normal = vec3_normalize(normal);
            add_edge_bevel(counter, p, count, i, normal);
            add_edge_bevel(counter, p, count, i, vec3_neg(normal));
        }
    }
}

static void count_planes(struct counter *counter)
{
    for (int i = 0; i < (int)arrlen(counter->squares); i++) {
        struct vec3 p[4];
        corners_of(counter->grid, i, p);
        int a = counter->squares[i][0], b = counter->squares[i][1];
        add_borders(counter, i, p);
        if (a == b && a >= 0) {
            add_bevels(counter, p, 4);
        } else {
            const struct vec3 second[3] = {p[2], p[3], p[0]};
            if (a >= 0)
                add_bevels(counter, p, 3);
            if (b >= 0)
                add_bevels(counter, second, 3);
        }
    }
}

struct patch_load patch_collision_load(const struct draw_surface *patch)
{
    struct grid *grid = memory_zalloc(1, sizeof *grid);
    struct counter counter = {.grid = grid};
    make_grid(patch, grid);
    struct patch_load load = {
        .columns = grid->columns, .rows = grid->rows, .overflows = grid->overflows};
    if (!load.overflows && (load.columns - 1) * (load.rows - 1) <= PATCH_MAX_FACETS) {
        count_squares(&counter);
        if (counter.facets <= PATCH_MAX_FACETS)
            count_planes(&counter);
        load.facets = counter.facets;
        load.planes = (int)arrlen(counter.planes);
    } else if (!load.overflows) {
        load.facets = (load.columns - 1) * (load.rows - 1);
    }
    arrfree(counter.planes);
    arrfree(counter.squares);
    memory_free(grid);
    return load;
}

bool patch_check_collision(const struct draw_surface *patch, struct diag *diag)
{
    struct patch_load load;
    struct diag_where where = patch->where;
    if (!patch->shader->contents || patch->shader->surface_flags & Q3_SURFACE_NONSOLID)
        return true;
    load = patch_collision_load(patch);
    struct bounds bounds = draw_surface_bounds(patch);
    struct vec3 center = bounds_center(&bounds);
    where.has_point = true;
    memcpy(where.point, center.e, sizeof where.point);
    if (load.overflows)
        diag_report(diag, DIAG_PATCH_COLLISION, &where,
                    "its tessellation has more than %d columns or rows", PATCH_MAX_GRID);
    else if (load.facets > PATCH_MAX_FACETS)
        diag_report(diag, DIAG_PATCH_COLLISION, &where, "it needs %d facets, the maximum is %d",
                    load.facets, PATCH_MAX_FACETS);
    else if (load.planes > PATCH_MAX_PLANES)
        diag_report(diag, DIAG_PATCH_COLLISION, &where,
                    "it needs at least %d planes, the maximum is %d", load.planes,
                    PATCH_MAX_PLANES);
    else if (load.planes > PATCH_SAFE_PLANES)
        diag_report(diag, DIAG_PATCH_HEAVY, &where, "it needs %d planes, up to %d are safe",
                    load.planes, PATCH_SAFE_PLANES);
    else
        return true;
    return !load.overflows && load.facets <= PATCH_MAX_FACETS && load.planes <= PATCH_MAX_PLANES;
}
