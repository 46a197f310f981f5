/* BM levels for tests whose meshes are the surfaces of cubes of a grid. */
#ifndef TESTS_BMX_CELLS_H
#define TESTS_BMX_CELLS_H

#include "common/geom/vec.h"
#include "tests/support/bmx_files.h"

#define CELL_SIZE 32.0 /* map units of a cube's edge */
enum { CELLS = 4 };    /* cubes along an edge of the grid, whose corner is the origin */

struct cell_grid {
    bool filled[CELLS][CELLS][CELLS]; /* [x][y][z] */
};

static inline bool is_filled(const struct cell_grid *grid, int x, int y, int z)
{
    return x >= 0 && y >= 0 && z >= 0 && x < CELLS && y < CELLS && z < CELLS &&
           grid->filled[x][y][z];
}

static inline void fill_cells(struct cell_grid *grid, const int low[3], const int high[3],
                              bool filled)
{
    for (int x = low[0]; x < high[0]; x++)
        for (int y = low[1]; y < high[1]; y++)
            for (int z = low[2]; z < high[2]; z++)
                grid->filled[x][y][z] = filled;
}

/* Textures lie like this in all of the meshes here: coordinates in images. */
static inline void cell_uv(struct vec3 p, double uv[2])
{
    uv[0] = p.x / 128 + p.y / 256 + 0.25;
    uv[1] = p.z / 64 - p.y / 512;
}

/* Appends a corner at a position of map space. */
static inline void put_map_corner(struct bmx_mesh *mesh, struct vec3 p)
{
    double uv[2];
    cell_uv(p, uv);
    arrput(mesh->positions,
           ((struct bmx_point){{(float)(p.x / 16), (float)(p.z / 16), (float)(p.y / 16)}}));
    arrput(mesh->uvs, ((struct bmx_uv){{(float)uv[0], (float)uv[1]}}));
}

/* Appends a convex polygon of corners of map space, clockwise seen from the front, as a fan. */
static inline void put_polygon(struct bmx_mesh *mesh, const struct vec3 *points, int count)
{
    uint32_t first = (uint32_t)arrlenu(mesh->positions), normal = (uint32_t)arrlenu(mesh->normals);
    struct vec3 n =
        vec3_normalize(vec3_cross(vec3_sub(points[0], points[1]), vec3_sub(points[2], points[1])));
    arrput(mesh->normals, ((struct bmx_point){{(float)n.x, (float)n.z, (float)n.y}}));
    for (int i = 0; i < count; i++)
        put_map_corner(mesh, points[i]);
    for (uint32_t i = 2; i < (uint32_t)count; i++)
        arrput(mesh->faces, ((struct bmx_face){{{first, first, normal},
                                                {first + i - 1, first + i - 1, normal},
                                                {first + i, first + i, normal}},
                                               0,
                                               1}));
}

/* Appends the face of a cube towards the axis. */
static inline void put_cell_face(struct bmx_mesh *mesh, const int at[3], int axis, bool up)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    struct vec3 points[4];
    for (int i = 0; i < 4; i++) {
        bool far_x = i == 1 || i == 2, far_y = i >= 2;
        points[i].e[axis] = (at[axis] + up) * CELL_SIZE;
        points[i].e[x] = (at[x] + (up ? far_y : far_x)) * CELL_SIZE;
        points[i].e[y] = (at[y] + (up ? far_x : far_y)) * CELL_SIZE;
    }
    put_polygon(mesh, points, 4);
}

/* Appends the surface of the filled cubes. */
static inline void put_cells(struct bmx_mesh *mesh, const struct cell_grid *grid)
{
    int at[3];
    for (at[0] = 0; at[0] < CELLS; at[0]++)
        for (at[1] = 0; at[1] < CELLS; at[1]++)
            for (at[2] = 0; at[2] < CELLS; at[2]++)
                for (int side = 0; side < 6; side++) {
                    int next[3] = {at[0], at[1], at[2]};
                    next[side / 2] += side % 2 ? 1 : -1;
                    if (is_filled(grid, at[0], at[1], at[2]) &&
                        !is_filled(grid, next[0], next[1], next[2]))
                        put_cell_face(mesh, at, side / 2, side % 2 == 1);
                }
}

/* Returns a level of one object with the mesh, which it takes, at the origin; with a material and a
 * texture of the game. */
static inline struct bmx *bmx_of_mesh(struct bmx_mesh *mesh)
{
    struct bmx *bmx = bmx_new();
    struct bmx_object object = {.name = bmx_text_make("A_Floor_01"),
                                .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    struct bmx_material material = {
        .name = bmx_text_make("Stone"), .diffuse = {1, 1, 1}, .z_buffer = 1, .use_texture = 1};
    struct bmx_texture texture = {.name = bmx_text_make("Floor_Side"),
                                  .file_name = bmx_text_make("Floor_Side.bmp"),
                                  .is_external = 1};
    struct bmx_text group = bmx_text_make("Phys_Floors");
    mesh->name = bmx_text_make("Floor");
    arrput(object.groups, group);
    arrput(bmx->objects, object);
    arrput(bmx->meshes, *mesh);
    arrput(bmx->materials, material);
    arrput(bmx->textures, texture);
    *mesh = (struct bmx_mesh){0};
    return bmx;
}

#endif
