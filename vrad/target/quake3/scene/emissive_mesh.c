/* Pieces of emissive surfaces without luxels, from their triangles. */
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vrad/target/quake3/scene/scene.h"

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
