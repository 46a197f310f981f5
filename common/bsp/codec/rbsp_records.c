/* The records of RBSP 1 and FBSP 1 that differ from those of IBSP (docs/formats/ibsp.md): surfaces,
 * vertices and points of the light grid have light of four styles, and equal points are stored
 * once. */
#include "common/bsp/codec/codec.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_records.def"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define F            RECORD_FIELD
#define A            RECORD_ARRAY
#define PART         RECORD_PART

static const struct record_field brush_side_fields[] = {
    F(I32, bsp_brush_side, plane),
    F(I32, bsp_brush_side, texinfo),
    F(I32, bsp_brush_side, surface),
};
static const struct record_field draw_vertex_fields[] = {
    A(F32, bsp_draw_vertex, p, 3),
    A(F32, bsp_draw_vertex, texture, 2),
    A(F32, bsp_draw_vertex, lightmap, 2),
    A(F32, bsp_draw_vertex, more_lightmap, 2 * MORE_STYLES),
    A(F32, bsp_draw_vertex, normal, 3),
    A(U8, bsp_draw_vertex, colour, 4),
    A(U8, bsp_draw_vertex, more_colour, 4 * MORE_STYLES),
};
static const struct record_field surface_fields[] = {
    F(I32, bsp_surface, shader),
    F(I32, bsp_surface, effect),
    F(I32, bsp_surface, type),
    F(I32, bsp_surface, first_vertex),
    F(I32, bsp_surface, vertex_count),
    F(I32, bsp_surface, first_index),
    F(I32, bsp_surface, index_count),
    A(U8, bsp_surface, light_styles, BSP_FACE_STYLES),
    A(U8, bsp_surface, vertex_styles, BSP_FACE_STYLES),
    F(I32, bsp_surface, lightmap),
    A(I32, bsp_surface, more_lightmap, MORE_STYLES),
    PART(I32, bsp_surface, lightmap_start[0], 1),
    PART(I32, bsp_surface, more_start[0], MORE_STYLES),
    PART(I32, bsp_surface, lightmap_start[1], 1),
    PART(I32, bsp_surface, more_start[1], MORE_STYLES),
    A(I32, bsp_surface, lightmap_size, 2),
    A(F32, bsp_surface, lightmap_origin, 3),
    A(F32, bsp_surface, lightmap_vectors, 6),
    A(F32, bsp_surface, normal, 3),
    A(I32, bsp_surface, patch_size, 2),
};
static const struct record_field grid_point_fields[] = {
    A(U8, bsp_grid_point, ambient, 3),
    A(U8, bsp_grid_point, more_ambient, 3 * MORE_STYLES),
    A(U8, bsp_grid_point, directed, 3),
    A(U8, bsp_grid_point, more_directed, 3 * MORE_STYLES),
    A(U8, bsp_grid_point, styles, BSP_FACE_STYLES),
    A(U8, bsp_grid_point, direction, 2),
};

static const struct record brush_side =
    RECORD("brush side", struct bsp_brush_side, 12, brush_side_fields);
static const struct record draw_vertex =
    RECORD("vertex", struct bsp_draw_vertex, 80, draw_vertex_fields);
static const struct record surface = RECORD("surface", struct bsp_surface, 148, surface_fields);
static const struct record grid_point =
    RECORD("light grid point", struct bsp_grid_point, 30, grid_point_fields);

enum { INDEX_SIZE = 2, POINTS_MAX = 1 << 16 }; /* of the array */

/* The points that the lump before has, in the places of the array. */
static enum status read_grid_array(struct lump_reader *reader)
{
    struct byte_reader *data = &reader->data;
    struct bsp_grid_point **grid = &reader->bsp->light_grid, *points = *grid, *placed = NULL;
    const size_t count = data->size / INDEX_SIZE;
    if (data->size % INDEX_SIZE)
        return codec_fail(reader, DIAG_BSP_LUMP, "%zu bytes, not a multiple of %d", data->size,
                          INDEX_SIZE);
    arrsetcap(placed, count);
    for (size_t i = 0; i < count; i++) {
        const size_t number = read_u16(data);
        if (number >= arrlenu(points)) {
            arrfree(placed);
            return codec_fail(reader, DIAG_BSP_RANGE, "index %zu: point %zu of %zu", i, number,
                              arrlenu(points));
        }
        arrput(placed, points[number]);
    }
    arrfree(*grid);
    *grid = placed;
    return STATUS_OK;
}

struct point_cell {
    struct bsp_grid_point key; /* bytes alone, without gaps */
    int32_t value;
};

/* The different points in the order of their first places, and the number of each place. */
struct grid_points {
    struct bsp_grid_point *points; /* stb_ds arrays */
    int32_t *numbers;
};

static struct grid_points gather_points(const struct bsp *bsp)
{
    struct grid_points grid = {0};
    struct point_cell *cells = NULL;
    for (size_t i = 0; i < arrlenu(bsp->light_grid); i++) {
        const struct bsp_grid_point *point = &bsp->light_grid[i];
        ptrdiff_t at = hmgeti(cells, *point);
        const int32_t number = at >= 0 ? cells[at].value : (int32_t)arrlen(grid.points);
        if (at < 0) {
            hmput(cells, *point, number);
            arrput(grid.points, *point);
        }
        arrput(grid.numbers, number);
    }
    hmfree(cells);
    return grid;
}

static void free_points(struct grid_points *grid)
{
    arrfree(grid->points);
    arrfree(grid->numbers);
}

static bool write_grid_points(struct lump_writer *writer)
{
    struct grid_points grid = gather_points(writer->bsp);
    bool fits = record_encode(&grid_point, grid.points, arrlenu(grid.points), writer->out,
                              &writer->range_error);
    free_points(&grid);
    return fits;
}

static bool write_grid_array(struct lump_writer *writer)
{
    struct grid_points grid = gather_points(writer->bsp);
    const size_t count = arrlenu(grid.points);
    bool fits = count <= POINTS_MAX;
    for (size_t i = 0; i < arrlenu(grid.numbers) && fits; i++)
        bytes_u16(writer->out, (uint16_t)grid.numbers[i]);
    if (!fits)
        writer->range_error = (struct record_range_error){.record = count - 1,
                                                          .what = grid_point.name,
                                                          .field = "number",
                                                          .value = (int64_t)count - 1,
                                                          .max = POINTS_MAX - 1};
    free_points(&grid);
    return fits;
}

#define ARRAY(lump, record, member)                                                                \
    {lump, ANY_VERSION, &(record), offsetof(struct bsp, member), NULL, NULL}
/* The array needs the points before it. */
static const struct lump_codec lumps[] = {
    ARRAY(IBSP_BRUSHSIDES, brush_side, brush_sides),
    ARRAY(IBSP_DRAWVERTS, draw_vertex, draw_vertices),
    ARRAY(IBSP_SURFACES, surface, surfaces),
    {IBSP_LIGHTGRID, ANY_VERSION, &grid_point, offsetof(struct bsp, light_grid), NULL,
     write_grid_points},
    {RBSP_LIGHTARRAY, ANY_VERSION, NULL, 0, read_grid_array, write_grid_array},
};

#define BIT(lump) (UINT64_C(1) << IBSP_##lump)
#define OF_TREE                                                                                    \
    BIT(ENTITIES) | BIT(PLANES) | BIT(NODES) | BIT(LEAFS) | BIT(MODELS) | BIT(VISIBILITY)

const struct bsp_codec rbsp_codec = {
    .container = &container_rbsp,
    .lumps = lumps,
    .count = COUNT(lumps),
    .base = &ibsp46_codec,
    .of_tree = OF_TREE,
    .check = ibsp_check,
};

const struct bsp_codec fbsp_codec = {
    .container = &container_fbsp,
    .lumps = lumps,
    .count = COUNT(lumps),
    .base = &ibsp46_codec,
    .of_tree = OF_TREE,
    .check = ibsp_check,
};
