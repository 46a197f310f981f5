#include "ballance/level/solid_pieces.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* Sides of a brush; solids with more are curved. */
enum { PIECE_SIDES_MAX = 128 };

/* Nodes above each other. */
enum { DEPTH_MAX = 400 };

/* Planes that are tried for a cut, and polygons that each is tried on. */
enum { CANDIDATES = 32, SAMPLES = 512 };

/* Polygons and triangles to look at. */
#define WORK_BUDGET 3e7

/* Costs of a cut polygon, against one more on one side than on the other. */
#define SPLIT_COST 8

struct polygon {
    const struct winding *winding;
    int plane; /* of the surface */
};

struct cutter {
    const struct solid_surface *surface;
    struct arena *arena;
    struct convex_cell *cells; /* stb_ds array: of the inside */
    const struct pieces_limits *limits;
    double work;
    double volume; /* that the surface encloses, according to the cells */
    bool failed;
    bool inverted; /* part of the surface looks into what it encloses */
};

static bool go_on(struct cutter *cutter, double work)
{
    cutter->work += work;
    *cutter->limits->work -= work;
    if (cutter->work > WORK_BUDGET || *cutter->limits->work < 0 ||
        arrlenu(cutter->cells) > cutter->limits->max_pieces)
        cutter->failed = true;
    return !cutter->failed;
}

/* --- convex solids --- */

static bool is_convex(const struct solid_surface *surface)
{
    for (size_t i = 0; i < arrlenu(surface->planes); i++)
        for (size_t k = 0; k < arrlenu(surface->triangles); k++) {
            const struct placed_triangle *t = &surface->mesh->triangles[surface->triangles[k]];
            for (int c = 0; c < 3; c++)
                if (plane_distance(&surface->planes[i].drawn.plane,
                                   placed_corner(surface->mesh, t, c)) > MESH_TOLERANCE)
                    return false;
        }
    return true;
}

static void replace(struct convex_cell *cell, struct convex_cell by)
{
    cell_free(cell);
    *cell = by;
}

static void cut_convex(struct cutter *cutter, struct convex_cell *box)
{
    for (size_t i = 0; i < arrlenu(cutter->surface->planes) && arrlen(box->sides); i++) {
        struct convex_cell back = {0};
        cell_cut(box, &cutter->surface->planes[i].drawn, cutter->arena, NULL, &back);
        replace(box, back);
    }
    cutter->volume += cell_volume(box);
    arrput(cutter->cells, *box);
}

/* --- others --- */

/* Counts of polygons on the sides of a plane. */
struct split {
    int front, back, cut;
};

static struct split try_plane(const struct polygon *polygons, const struct plane *plane)
{
    struct split split = {0};
    size_t count = arrlenu(polygons), step = 1 + count / SAMPLES;
    for (size_t i = 0; i < count; i += step) {
        enum winding_side side = winding_classify(polygons[i].winding, plane, CELL_EPSILON);
        split.front += side == WINDING_FRONT;
        split.back += side == WINDING_BACK;
        split.cut += side == WINDING_CROSS;
    }
    return split;
}

/* Returns the plane that cuts the fewest polygons and has as many on either side, or -1. */
static int choose_plane(struct cutter *cutter, const struct polygon *polygons)
{
    size_t count = arrlenu(polygons), step = 1 + count / CANDIDATES;
    int best = -1;
    double best_cost = 0;
    for (size_t i = 0; i < count; i += step) {
        const struct surface_plane *plane = &cutter->surface->planes[polygons[i].plane];
        if (polygons[i].plane == best ||
            !go_on(cutter, (double)(count < SAMPLES ? count : SAMPLES)))
            continue;
        struct split split = try_plane(polygons, &plane->drawn.plane);
        double cost = SPLIT_COST * (double)split.cut + abs(split.front - split.back);
        if (best < 0 || cost < best_cost) {
            best = polygons[i].plane;
            best_cost = cost;
        }
    }
    return cutter->failed ? -1 : best;
}

/* Moves what is in front of the plane and behind it into `parts`. What lies on it is done. */
static void split_polygons(struct cutter *cutter, const struct polygon *polygons, int by,
                           struct polygon *parts[2])
{
    const struct plane *plane = &cutter->surface->planes[by].drawn.plane;
    for (size_t i = 0; i < arrlenu(polygons); i++) {
        struct winding *halves[2] = {NULL, NULL};
        if (polygons[i].plane != by)
            winding_clip(cutter->arena, polygons[i].winding, plane, CELL_EPSILON, &halves[0],
                         &halves[1]);
        for (int k = 0; k < 2; k++)
            if (halves[k])
                arrput(parts[k], ((struct polygon){halves[k], polygons[i].plane}));
    }
}

/* A cell that no polygon is in is inside or outside as a whole. */
static void add_leaf(struct cutter *cutter, struct convex_cell *cell)
{
    const struct solid_surface *surface = cutter->surface;
    if (!arrlen(cell->sides) || !go_on(cutter, (double)arrlen(surface->triangles))) {
        cell_free(cell);
        return;
    }
    double times = mesh_winding_number(surface->mesh, surface->triangles, cell_middle(cell));
    cutter->volume += rint(times) * cell_volume(cell);
    cutter->inverted |= times < -0.5;
    if (times > 0.5)
        arrput(cutter->cells, *cell);
    else
        cell_free(cell);
}

/* Frees the polygons and takes the cell. */
static void cut_cell(struct cutter *cutter, struct convex_cell *cell, struct polygon *polygons,
                     int depth)
{
    int by = arrlen(polygons) && arrlen(cell->sides) ? choose_plane(cutter, polygons) : -1;
    if (depth > DEPTH_MAX)
        cutter->failed = true;
    if (by >= 0 && go_on(cutter, (double)arrlen(polygons))) {
        struct convex_cell halves[2];
        struct polygon *parts[2] = {NULL, NULL};
        cell_cut(cell, &cutter->surface->planes[by].drawn, cutter->arena, &halves[0], &halves[1]);
        split_polygons(cutter, polygons, by, parts);
        for (int k = 1; k >= 0; k--)
            cut_cell(cutter, &halves[k], parts[k], depth + 1);
        cell_free(cell);
    } else {
        add_leaf(cutter, cell);
    }
    arrfree(polygons);
}

static struct polygon *list_polygons(const struct solid_surface *surface, struct arena *arena)
{
    struct polygon *polygons = NULL;
    for (size_t i = 0; i < arrlenu(surface->planes); i++)
        for (size_t k = 0; k < arrlenu(surface->planes[i].triangles); k++) {
            const struct placed_triangle *t =
                &surface->mesh->triangles[surface->planes[i].triangles[k]];
            struct vec3 p[3];
            for (int c = 0; c < 3; c++)
                p[c] = placed_corner(surface->mesh, t, c);
            arrput(polygons, ((struct polygon){winding_new(arena, 3, p), (int)i}));
        }
    return polygons;
}

static void cut_solid(struct cutter *cutter, struct convex_cell *box)
{
    *cutter->limits->work -=
        (double)arrlen(cutter->surface->planes) * (double)arrlen(cutter->surface->triangles) / 8;
    if (is_convex(cutter->surface))
        cut_convex(cutter, box);
    else
        cut_cell(cutter, box, list_polygons(cutter->surface, cutter->arena), 0);
}

/* --- */

/* Returns true when the cells have the volume of the solid, but for its planes' tolerance. */
static bool is_alike(const struct cutter *cutter, const struct mesh_shell *solid)
{
    double area = 0;
    for (size_t i = 0; i < arrlenu(cutter->surface->triangles); i++)
        area += cutter->surface->mesh->triangles[cutter->surface->triangles[i]].area;
    double slack = portable_fmin(area * MESH_TOLERANCE, solid->volume / 100);
    return fabs(cutter->volume - solid->volume) <= slack;
}

static bool have_few_sides(const struct convex_cell *cells)
{
    for (size_t i = 0; i < arrlenu(cells); i++)
        if (arrlen(cells[i].sides) > PIECE_SIDES_MAX)
            return false;
    return true;
}

enum pieces_status solid_pieces(const struct solid_surface *surface, const struct mesh_shell *solid,
                                const struct pieces_limits *limits, struct solid_piece **out,
                                size_t *slivers)
{
    struct arena arena = {0};
    struct cutter cutter = {.surface = surface, .arena = &arena, .limits = limits};
    struct bounds around = solid->bounds;
    struct convex_cell box;
    enum pieces_status status = PIECES_OK;
    *out = NULL;
    *slivers = 0;
    for (int k = 0; k < 3; k++) {
        around.mins.e[k] = floor(around.mins.e[k]) - 8;
        around.maxs.e[k] = ceil(around.maxs.e[k]) + 8;
    }
    cell_box(&around, &arena, &box);
    cut_solid(&cutter, &box);
    bool fits = !cutter.failed && have_few_sides(cutter.cells);
    if (fits && (cutter.inverted || !is_alike(&cutter, solid)))
        status = PIECES_UNLIKE;
    else if (!fits || !pieces_texture(surface, &arena, limits, &cutter.cells, out, slivers))
        status = PIECES_MANY;
    for (size_t i = 0; i < arrlenu(cutter.cells); i++)
        cell_free(&cutter.cells[i]);
    arrfree(cutter.cells);
    arena_free(&arena);
    return status;
}

void solid_pieces_free(struct solid_piece *pieces)
{
    for (size_t i = 0; i < arrlenu(pieces); i++)
        arrfree(pieces[i].sides);
    arrfree(pieces);
}
