/* A small Quake 3 map in memory: a sealed box with two clusters, one surface of each type, a fog, a
 * light grid, and a door with a brush and a surface of its own. */
#ifndef TESTS_IBSP_ROOM_H
#define TESTS_IBSP_ROOM_H

#include <stdio.h>
#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"

enum {
    ROOM_HALF = 128,
    ROOM_WALL = 144,
    ROOM_WALLS = 6,
    ROOM_CUTS = 5, /* planes per axis: the walls' four, and the middle */
    ROOM_LEAVES = 10,
    ROOM_GRID = 5 * 5 * 3,
};

static const int ibsp_room_cuts[ROOM_CUTS] = {-ROOM_WALL, -ROOM_HALF, 0, ROOM_HALF, ROOM_WALL};

static inline int ibsp_room_plane(int axis, int cut, bool against)
{
    return 2 * (axis * ROOM_CUTS + cut) + against;
}

static inline void ibsp_room_planes(struct bsp *bsp)
{
    for (int axis = 0; axis < 3; axis++)
        for (int cut = 0; cut < 2 * ROOM_CUTS; cut++) {
            struct bsp_plane plane = {.type = axis};
            plane.normal[axis] = cut % 2 ? -1.0f : 1.0f;
            plane.dist = plane.normal[axis] * (float)ibsp_room_cuts[cut / 2];
            arrput(bsp->planes, plane);
        }
}

static inline void ibsp_room_shader(struct bsp *bsp, const char *name, int contents)
{
    struct bsp_shader shader = {.contents = contents};
    snprintf(shader.name, sizeof shader.name, "%s", name);
    arrput(bsp->shaders, shader);
}

/* A box between cuts of each axis, with its sides in the order of the engine. */
static inline void ibsp_room_brush(struct bsp *bsp, const int from[3], const int to[3], int shader)
{
    struct bsp_brush brush = {.first_side = (int)arrlen(bsp->brush_sides),
                              .side_count = 6,
                              .contents = bsp->shaders[shader].contents,
                              .shader = shader};
    for (int side = 0; side < 6; side++) {
        int axis = side / 2;
        bool against = side % 2 == 0;
        int plane = ibsp_room_plane(axis, against ? from[axis] : to[axis], against);
        arrput(bsp->brush_sides, ((struct bsp_brush_side){.plane = plane, .texinfo = shader}));
    }
    arrput(bsp->brushes, brush);
}

static inline void ibsp_room_brushes(struct bsp *bsp)
{
    for (int wall = 0; wall < ROOM_WALLS; wall++) {
        int from[3] = {0, 0, 0}, to[3] = {4, 4, 4};
        from[wall / 2] = wall % 2 ? 3 : 0;
        to[wall / 2] = wall % 2 ? 4 : 1;
        ibsp_room_brush(bsp, from, to, 0);
    }
    ibsp_room_brush(bsp, (const int[]){1, 1, 1}, (const int[]){3, 3, 2}, 1); /* fog */
    ibsp_room_brush(bsp, (const int[]){1, 1, 1}, (const int[]){2, 2, 2}, 0); /* door */
}

static inline void ibsp_room_leaf(struct bsp *bsp, int cluster, int surface, int surfaces,
                                  int brush, int brushes)
{
    struct bsp_leaf leaf = {.contents = cluster < 0 ? CONTENTS_SOLID : 0,
                            .cluster = cluster,
                            .area = cluster < 0 ? -1 : 0,
                            .first_face = (int)arrlen(bsp->leaf_faces),
                            .face_count = surfaces,
                            .first_brush = (int)arrlen(bsp->leaf_brushes),
                            .brush_count = brushes,
                            .water_data = -1};
    for (int k = 0; k < 3; k++) {
        leaf.mins[k] = -ROOM_WALL;
        leaf.maxs[k] = ROOM_WALL;
    }
    for (int i = 0; i < surfaces; i++)
        arrput(bsp->leaf_faces, surface + i);
    for (int i = 0; i < brushes; i++)
        arrput(bsp->leaf_brushes, brush + i);
    arrput(bsp->leaves, leaf);
}

/* Each wall's inner plane in turn, then the middle: leaf 1 + wall is solid, 7 and 8 are open. */
static inline void ibsp_room_tree(struct bsp *bsp)
{
    for (int wall = 0; wall <= ROOM_WALLS; wall++) {
        bool middle = wall == ROOM_WALLS, upper = wall % 2;
        int solid = -2 - wall, next = wall + 1;
        struct bsp_node node = {.area = -1};
        node.plane =
            middle ? ibsp_room_plane(0, 2, false) : ibsp_room_plane(wall / 2, upper ? 3 : 1, false);
        node.children[0] = middle ? -1 - 7 : upper ? solid : next;
        node.children[1] = middle ? -1 - 8 : upper ? next : solid;
        for (int k = 0; k < 3; k++) {
            node.mins[k] = -ROOM_WALL;
            node.maxs[k] = ROOM_WALL;
        }
        arrput(bsp->nodes, node);
    }
    arrput(bsp->leaves, ((struct bsp_leaf){.water_data = -1})); /* the dummy */
    for (int wall = 0; wall < ROOM_WALLS; wall++)
        ibsp_room_leaf(bsp, -1, 0, 0, wall, 1);
    ibsp_room_leaf(bsp, 0, 0, 9, 6, 1);
    ibsp_room_leaf(bsp, 1, 0, 6, 6, 1);
    ibsp_room_leaf(bsp, -1, 0, 0, 7, 1); /* of the door, in no tree */
}

static inline void ibsp_room_vertex(struct bsp *bsp, float x, float y, float z)
{
    struct bsp_draw_vertex vertex = {.p = {x, y, z},
                                     .texture = {x / 64, y / 64},
                                     .lightmap = {0.25f, 0.5f},
                                     .normal = {0, 0, 1},
                                     .colour = {200, 180, 160, 255}};
    arrput(bsp->draw_vertices, vertex);
}

/* A surface of the vertices from `first` on, and the triangles that all quads share. */
static inline void ibsp_room_surface(struct bsp *bsp, enum surface_type type, int first,
                                     int indices)
{
    struct bsp_surface surface = {.shader = 0,
                                  .effect = -1,
                                  .type = (int32_t)type,
                                  .first_vertex = first,
                                  .vertex_count = (int)arrlen(bsp->draw_vertices) - first,
                                  .index_count = indices,
                                  .lightmap = -3,
                                  .normal = {0, 0, 1}};
    if (type == SURFACE_PATCH)
        surface.patch_size[0] = surface.patch_size[1] = 3;
    arrput(bsp->surfaces, surface);
}

static inline void ibsp_room_quad(struct bsp *bsp, int axis, float at, float half)
{
    int first = (int)arrlen(bsp->draw_vertices);
    for (int corner = 0; corner < 4; corner++) {
        float p[3];
        p[axis] = at;
        p[(axis + 1) % 3] = corner == 1 || corner == 2 ? half : -half;
        p[(axis + 2) % 3] = corner >= 2 ? half : -half;
        ibsp_room_vertex(bsp, p[0], p[1], p[2]);
    }
    ibsp_room_surface(bsp, SURFACE_PLANAR, first, 6);
}

static inline void ibsp_room_surfaces(struct bsp *bsp)
{
    static const int32_t quad[] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 6; i++)
        arrput(bsp->draw_indices, quad[i]);
    for (int wall = 0; wall < ROOM_WALLS; wall++)
        ibsp_room_quad(bsp, wall / 2, wall % 2 ? ROOM_HALF : -ROOM_HALF, ROOM_HALF);
    int first = (int)arrlen(bsp->draw_vertices);
    for (int i = 0; i < 9; i++)
        ibsp_room_vertex(bsp, 20.0f * (float)(i % 3), 20.0f * (float)(i / 3), i == 4 ? 30 : 10);
    ibsp_room_surface(bsp, SURFACE_PATCH, first, 0);
    first = (int)arrlen(bsp->draw_vertices);
    for (int i = 0; i < 3; i++)
        ibsp_room_vertex(bsp, (float)(10 * i), i == 1 ? 10 : 0, -20);
    ibsp_room_surface(bsp, SURFACE_MESH, first, 3);
    first = (int)arrlen(bsp->draw_vertices);
    ibsp_room_vertex(bsp, 0, 0, 100);
    ibsp_room_surface(bsp, SURFACE_FLARE, first, 0);
    bsp->surfaces[0].effect = 0;
    ibsp_room_quad(bsp, 2, 0, 64); /* of the door */
}

static inline void ibsp_room_models(struct bsp *bsp)
{
    int surfaces = (int)arrlen(bsp->surfaces), brushes = (int)arrlen(bsp->brushes);
    struct bsp_model world = {.mins = {-ROOM_WALL, -ROOM_WALL, -ROOM_WALL},
                              .maxs = {ROOM_WALL, ROOM_WALL, ROOM_WALL},
                              .face_count = surfaces - 1,
                              .brush_count = brushes - 1};
    struct bsp_model door = {.mins = {-ROOM_HALF, -ROOM_HALF, -ROOM_HALF},
                             .head_node = -1,
                             .first_face = surfaces - 1,
                             .face_count = 1,
                             .first_brush = brushes - 1,
                             .brush_count = 1};
    arrput(bsp->models, world);
    arrput(bsp->models, door);
}

static inline void ibsp_room_light(struct bsp *bsp, int pages)
{
    bytes_fill(&bsp->ldr.lighting, 100, (size_t)pages * 128 * 128 * 3);
    for (int i = 0; i < ROOM_WALLS && pages; i++)
        bsp->surfaces[i].lightmap = i % pages;
    for (int i = 0; i < ROOM_GRID; i++) {
        uint8_t shade = (uint8_t)i;
        struct bsp_grid_point point = {
            .ambient = {shade, 2, 3}, .directed = {9, shade, 7}, .direction = {shade, 4}};
        arrput(bsp->light_grid, point);
    }
}

/* Free with bsp_free; write as quake3. */
static inline struct bsp *ibsp_room(int pages)
{
    static const char entities[] = "{\n\"classname\" \"worldspawn\"\n}\n"
                                   "{\n\"classname\" \"func_door\"\n\"model\" \"*1\"\n}\n"
                                   "{\n\"classname\" \"info_player_deathmatch\"\n"
                                   "\"origin\" \"-64 0 0\"\n}\n";
    static const unsigned char rows[16] = {[0] = 1, [8] = 2};
    struct bsp *bsp = bsp_new();
    bsp->engine = &engine_quake3;
    for (size_t i = 0; i + 1 < sizeof entities; i++)
        arrput(bsp->entities, entities[i]);
    ibsp_room_shader(bsp, "textures/base/wall", CONTENTS_SOLID);
    ibsp_room_shader(bsp, "textures/base/fog", 64);
    ibsp_room_planes(bsp);
    ibsp_room_brushes(bsp);
    ibsp_room_surfaces(bsp);
    ibsp_room_tree(bsp);
    ibsp_room_models(bsp);
    ibsp_room_light(bsp, pages);
    arrput(bsp->effects, ((struct bsp_effect){"textures/base/fog", 6, 5}));
    bsp->visibility_clusters = 2;
    bsp->visibility_row = sizeof rows / 2;
    bytes_append(&bsp->visibility, rows, sizeof rows);
    return bsp;
}

/* For lighting: the walls face inwards, the halves see each other, and contents of the room are not
 * drawn (shader 2) until a test needs them. */
static inline void ibsp_room_empty(struct bsp *bsp)
{
    for (int wall = 0; wall < ROOM_WALLS; wall++)
        for (int i = 0; i < 4; i++) {
            float *normal = bsp->draw_vertices[bsp->surfaces[wall].first_vertex + i].normal;
            normal[0] = normal[1] = normal[2] = 0;
            normal[wall / 2] = wall % 2 ? -1.0f : 1.0f;
        }
    bsp->visibility.data[0] = bsp->visibility.data[8] = 3;
    ibsp_room_shader(bsp, "common/nodraw", CONTENTS_SOLID);
    bsp->shaders[2].surface_flags = 0x80;
    for (ptrdiff_t i = ROOM_WALLS; i < arrlen(bsp->surfaces); i++)
        bsp->surfaces[i].shader = 2;
}

#endif
