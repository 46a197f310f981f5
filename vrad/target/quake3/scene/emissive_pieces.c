#include "vrad/target/quake3/scene/scene.h"

#include <float.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"

/* Pieces of emissive surfaces without luxels, from their triangles. */

/* Cosine of the maximum angle between the normals of a flat surface. */
#define FLAT_COSINE 0.999

/* Maximum length of an edge of a triangle, in cells. */
#define CELL_SHARE 0.5

/* Maximum number of cells along an axis. */
enum { MAX_CELLS = 64 };

double emissive_triangles(const struct quake3_light *q, int number, struct emissive_triangle **out)
{
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    double total = 0;
    for (int i = 0; i + 2 < surface->index_count; i += 3) {
        struct emissive_triangle triangle;
        struct vec3 outwards = vec3(0, 0, 0);
        for (int k = 0; k < 3; k++) {
            const struct bsp_draw_vertex *vertex =
                &q->bsp->draw_vertices[surface->first_vertex +
                                       q->bsp->draw_indices[surface->first_index + i + k]];
            triangle.p[k] =
                vec3_add(vec3_from_floats(vertex->p), q->origins[q->surfaces[number].model]);
            outwards = vec3_add(outwards, vec3_from_floats(vertex->normal));
        }
        struct vec3 cross = vec3_cross(vec3_sub(triangle.p[2], triangle.p[0]),
                                       vec3_sub(triangle.p[1], triangle.p[0]));
        if (!vec3_is_finite(cross) || !vec3_is_finite(outwards) || !(vec3_length(cross) > 0))
            continue;
        triangle.normal = vec3_normalize(vec3_dot(cross, outwards) < 0 ? vec3_neg(cross) : cross);
        triangle.area = vec3_length(cross) / 2;
        total += triangle.area;
        arrput(*out, triangle);
    }
    return total;
}

static struct vec3 middle_of(const struct emissive_triangle *triangle)
{
    return vec3_scale(vec3_add(triangle->p[0], vec3_add(triangle->p[1], triangle->p[2])), 1.0 / 3);
}

/* ---- flat surfaces ---- */

/* Cells of a grid in the plane of a flat surface. */
struct cells {
    struct vec3 axis[2], normal;
    double low[2], size[2];
    int count[2];
};

struct cell_sum {
    double area, st[2], squares[2]; /* times area */
    struct vec3 center;             /* times area */
};

static bool lay_out_cells(const struct emissive_triangle *triangles, double size,
                          struct cells *cells)
{
    double high[2];
    cells->normal = triangles[0].normal;
    cells->axis[0] = vec3_normalize(
        vec3_cross(cells->normal, fabs(cells->normal.z) > 0.7 ? vec3(0, 1, 0) : vec3(0, 0, 1)));
    cells->axis[1] = vec3_cross(cells->normal, cells->axis[0]);
    for (int k = 0; k < 2; k++)
        high[k] = cells->low[k] = vec3_dot(triangles[0].p[0], cells->axis[k]);
    for (ptrdiff_t i = 0; i < 3 * arrlen(triangles); i++) {
        if (vec3_dot(triangles[i / 3].normal, cells->normal) < FLAT_COSINE)
            return false;
        for (int k = 0; k < 2; k++) {
            double at = vec3_dot(triangles[i / 3].p[i % 3], cells->axis[k]);
            cells->low[k] = portable_fmin(cells->low[k], at);
            high[k] = portable_fmax(high[k], at);
        }
    }
    for (int k = 0; k < 2; k++) {
        double extent = high[k] - cells->low[k];
        cells->count[k] =
            (int)portable_fmin(portable_fmax(ceil(extent / size - 0.01), 1), MAX_CELLS);
        cells->size[k] = extent / cells->count[k];
    }
    return true;
}

/* The edge after corner 0, 1 or 2 that is longest. */
static int longest_edge(const struct emissive_triangle *triangle, double *length)
{
    int best = 0;
    *length = 0;
    for (int k = 0; k < 3; k++) {
        double edge = vec3_distance(triangle->p[k], triangle->p[(k + 1) % 3]);
        if (edge > *length) {
            *length = edge;
            best = k;
        }
    }
    return best;
}

/* Adds a triangle to the cell in which its middle lies; halves those that are large for one. */
static void add_triangle(const struct cells *cells, const struct emissive_triangle *triangle,
                         struct cell_sum *sums)
{
    double length, size = portable_fmin(cells->size[0], cells->size[1]);
    int edge = longest_edge(triangle, &length);
    if (length > CELL_SHARE * size && triangle->area > CELL_SHARE * CELL_SHARE * size * size / 8) {
        struct emissive_triangle half[2] = {*triangle, *triangle};
        int next = (edge + 1) % 3;
        struct vec3 middle = vec3_scale(vec3_add(triangle->p[edge], triangle->p[next]), 0.5);
        half[0].p[next] = half[1].p[edge] = middle;
        half[0].area = half[1].area = triangle->area / 2;
        add_triangle(cells, &half[0], sums);
        add_triangle(cells, &half[1], sums);
        return;
    }
    struct vec3 middle = middle_of(triangle);
    int at[2];
    for (int k = 0; k < 2; k++) {
        double cell = (vec3_dot(middle, cells->axis[k]) - cells->low[k]) / cells->size[k];
        at[k] = (int)portable_fmin(portable_fmax(cell, 0), cells->count[k] - 1);
    }
    struct cell_sum *sum = &sums[at[1] * cells->count[0] + at[0]];
    sum->area += triangle->area;
    sum->center = vec3_mad(sum->center, middle, triangle->area);
    for (int k = 0; k < 2; k++) {
        double a = vec3_dot(triangle->p[0], cells->axis[k]);
        double b = vec3_dot(triangle->p[1], cells->axis[k]);
        double c = vec3_dot(triangle->p[2], cells->axis[k]);
        sum->st[k] += triangle->area * (a + b + c) / 3;
        sum->squares[k] += triangle->area * (a * a + b * b + c * c + a * b + b * c + c * a) / 6;
    }
}

/* The parallelogram with the area of the triangles in a cell, and their extents. */
static void add_cell(const struct cells *cells, const struct cell_sum *sum,
                     struct emissive_piece **out)
{
    struct emissive_piece piece = {.normal = cells->normal, .area = sum->area};
    double half[2];
    if (!(sum->area > 0))
        return;
    piece.center = vec3_scale(sum->center, 1 / sum->area);
    for (int k = 0; k < 2; k++) {
        double mean = sum->st[k] / sum->area;
        half[k] = sqrt(3 * portable_fmax(sum->squares[k] / sum->area - mean * mean, 0));
    }
    double whole = 4 * half[0] * half[1];
    double scale = whole > 0 ? sqrt(portable_fmin(sum->area / whole, 1)) : 0;
    for (int k = 0; k < 2; k++)
        piece.side[k] = vec3_scale(cells->axis[k], half[k] * scale);
    arrput(*out, piece);
}

void emissive_mesh_pieces(const struct emissive_triangle *triangles, double size,
                          struct emissive_piece **out)
{
    struct cells cells;
    if (!arrlen(triangles))
        return;
    if (!lay_out_cells(triangles, size, &cells)) {
        for (ptrdiff_t i = 0; i < arrlen(triangles); i++)
            arrput(*out, ((struct emissive_piece){.center = middle_of(&triangles[i]),
                                                  .normal = triangles[i].normal,
                                                  .area = triangles[i].area}));
        return;
    }
    int count = cells.count[0] * cells.count[1];
    struct cell_sum *sums = memory_zalloc((size_t)count, sizeof *sums);
    for (ptrdiff_t i = 0; i < arrlen(triangles); i++)
        add_triangle(&cells, &triangles[i], sums);
    for (int i = 0; i < count; i++)
        add_cell(&cells, &sums[i], out);
    memory_free(sums);
}

/* In how large pieces the light of an emissive surface ends. Other tools take each triangle as a
 * light of its own, and drop it where it is weak; measured. */

/* Pieces are smaller than this, in units, unless a shader says it. */
#define CUT_SIZE 999.0

/* Curves are cut into straight pieces that are so near to them, in units; there are two between
 * three control points at least. */
#define CUT_ERROR 8.0

/* Areas of pieces, and their squares. */
struct areas {
    double sum, squares;
};

static void add_area(struct areas *areas, double area, double max)
{
    areas->sum += area;
    areas->squares += area * portable_fmin(area, max);
}

static void add_triangles(const struct quake3_light *q, int surface, double max,
                          struct areas *areas)
{
    struct emissive_triangle *triangles = NULL;
    emissive_triangles(q, surface, &triangles);
    for (ptrdiff_t i = 0; i < arrlen(triangles); i++)
        add_area(areas, triangles[i].area, max);
    arrfree(triangles);
}

/* Both triangles of each cell of the grid. */
static void add_patch(const struct quake3_light *q, int surface, double max, struct areas *areas)
{
    const struct bsp_surface *from = &q->bsp->surfaces[surface];
    struct arena arena = {0};
    struct patch_surface grid;
    if (patch_surface_build(q->bsp, from, CUT_ERROR, 0, &arena, &grid)) {
        int across = grid.columns - 1, along = grid.rows - 1;
        for (int i = 0; i < across * along; i++) {
            const struct patch_point *p = &grid.points[i / across * grid.columns + i % across];
            struct vec3 diagonal = vec3_sub(p[grid.columns + 1].p, p->p);
            struct vec3 cross =
                vec3_cross(diagonal, vec3_sub(p[1].p, p[grid.columns].p)); /* twice the area */
            double split = portable_fmax((from->patch_size[0] - 1.0) / across, 1) *
                           portable_fmax((from->patch_size[1] - 1.0) / along, 1);
            double whole = vec3_length(cross) / 2, piece = whole / (2 * split);
            areas->sum += whole;
            areas->squares += whole * portable_fmin(piece, max);
        }
    }
    arena_free(&arena);
}

double quake3_cut_area(const struct quake3_light *q, const int *surfaces, int count)
{
    struct areas areas = {0};
    const struct shader *shader = q->surfaces[surfaces[0]].material->shader;
    double size = shader->light_subdivide > 0 ? shader->light_subdivide : CUT_SIZE;
    double max = size * size / 2;
    for (int i = 0; i < count; i++)
        if (q->bsp->surfaces[surfaces[i]].type == SURFACE_PATCH)
            add_patch(q, surfaces[i], max, &areas);
        else
            add_triangles(q, surfaces[i], max, &areas);
    /* Without -fast two triangles end as one square does. */
    const double joined = q->options->fast ? 1 : 2;
    return joined * (areas.sum > 0 ? areas.squares / areas.sum : max);
}

/* --- emissive pieces --- */

/* Cosine of the maximum angle between the normal of a curved piece and those of its luxels: one
 * light stands for all of them. */
#define CURVED_COSINE 0.9063 /* 25 degrees */

/* Distance from the middle of a piece, in luxels, within which a luxel counts as its middle. */
#define MIDDLE_REACH 1.0

struct block {
    int column, row, columns, rows;
};

struct block_sum {
    double area;
    struct vec3 center, normal; /* times area */
    double st[2], squares[2];   /* of luxel coordinates, times area; of flat faces */
};

/* Adds the extents of a luxel's visible part: one that ends within the luxel has its middle
 * elsewhere. */
static void add_extents(const struct face_light *face, const struct luxel *luxel, const int at[2],
                        struct block_sum *sum)
{
    struct vec3 position = vec3_from_floats(luxel->position);
    double area = (double)luxel->area;
    for (int k = 0; k < 2; k++) {
        double st = vec3_dot(face->dual[k], position) + face->offset[k];
        double extent = portable_fmax(1 - 2 * fabs(st - at[k]), 0);
        sum->st[k] += area * st;
        sum->squares[k] += area * (st * st + extent * extent / 12);
    }
}

static struct block_sum sum_up(const struct face_light *face, const struct block *block)
{
    struct block_sum sum = {0};
    for (int i = 0; i < block->columns * block->rows; i++) {
        const int at[2] = {block->column + i % block->columns, block->row + i / block->columns};
        const struct luxel *luxel = &face->luxels[at[1] * face->width + at[0]];
        double area = (double)luxel->area;
        sum.area += area;
        sum.center = vec3_mad(sum.center, vec3_from_floats(luxel->position), area);
        sum.normal = vec3_mad(sum.normal, vec3_from_floats(luxel_normal(face, luxel)), area);
        if (!face->mesh)
            add_extents(face, luxel, at, &sum);
    }
    return sum;
}

/* Visits the luxels of a block that count: the minimum cosine between the normal and theirs, and
 * the luxel nearest to a point. */
static const struct luxel *survey(const struct face_light *face, const struct block *block,
                                  struct vec3 normal, struct vec3 point, double *min)
{
    const struct luxel *best = NULL;
    double nearest = DBL_MAX;
    *min = 1;
    for (int i = 0; i < block->columns * block->rows; i++) {
        int column = block->column + i % block->columns, row = block->row + i / block->columns;
        const struct luxel *luxel = &face->luxels[row * face->width + column];
        if (!(luxel->area > 0))
            continue;
        double distance = vec3_distance(vec3_from_floats(luxel->position), point);
        *min = portable_fmin(*min, vec3_dot(normal, vec3_from_floats(luxel_normal(face, luxel))));
        if (distance < nearest) {
            nearest = distance;
            best = luxel;
        }
    }
    return best;
}

/* The parallelogram with a flat block's area, along the axes of the luxels, and with the extents of
 * its visible part: that of a full block is the block. */
static void find_sides(const struct face_light *face, const struct block_sum *sum,
                       struct emissive_piece *piece)
{
    double half[2];
    for (int k = 0; k < 2; k++) {
        double mean = sum->st[k] / sum->area;
        double variance = portable_fmax(sum->squares[k] / sum->area - mean * mean, 0);
        half[k] = sqrt(3 * variance);
    }
    double whole = 4 * half[0] * half[1] * vec3_length(vec3_cross(face->axis[0], face->axis[1]));
    double scale = whole > 0 ? sqrt(portable_fmin(sum->area / whole, 1)) : 0;
    for (int k = 0; k < 2; k++)
        piece->side[k] = vec3_scale(face->axis[k], half[k] * scale);
}

static void halve(const struct block *block, struct block half[2])
{
    bool across = block->columns >= block->rows;
    half[0] = half[1] = *block;
    if (across) {
        half[0].columns = block->columns / 2;
        half[1].column += half[0].columns;
        half[1].columns -= half[0].columns;
    } else {
        half[0].rows = block->rows / 2;
        half[1].row += half[0].rows;
        half[1].rows -= half[0].rows;
    }
}

static void add_block(const struct face_light *face, const struct block *block,
                      struct emissive_piece **out)
{
    struct block_sum sum = sum_up(face, block);
    if (!(sum.area > 0))
        return;
    struct emissive_piece piece = {.center = vec3_scale(sum.center, 1 / sum.area),
                                   .normal = vec3_normalize(sum.normal),
                                   .area = sum.area};
    double min, luxel_size = sqrt(vec3_length(vec3_cross(face->axis[0], face->axis[1])));
    const struct luxel *middle = survey(face, block, piece.normal, piece.center, &min);
    bool whole = vec3_length(sum.normal) > 0.1 * sum.area && min >= CURVED_COSINE;
    if (face->mesh && !whole && block->columns * block->rows > 1) {
        struct block half[2];
        halve(block, half);
        add_block(face, &half[0], out);
        add_block(face, &half[1], out);
        return;
    }
    struct vec3 nearest = vec3_from_floats(middle->position);
    if (!face->mesh && vec3_distance(nearest, piece.center) <= MIDDLE_REACH * luxel_size)
        find_sides(face, &sum, &piece);
    else
        piece.center = nearest;
    if (vec3_length(piece.normal) > 0)
        arrput(*out, piece);
}

/* The luxels at both ends of a surface are half outside of it. */
static int blocks_of(int luxels, int step)
{
    return luxels - 1 > step ? (luxels - 1 + step - 1) / step : 1;
}

void emissive_pieces(const struct face_light *face, int step, struct emissive_piece **out)
{
    int across = blocks_of(face->width, step), along = blocks_of(face->height, step);
    for (int i = 0; i < across * along; i++) {
        int column = i % across * face->width / across, row = i / across * face->height / along;
        struct block block = {column, row, (i % across + 1) * face->width / across - column,
                              (i / across + 1) * face->height / along - row};
        add_block(face, &block, out);
    }
}
