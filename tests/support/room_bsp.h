/* A BSP in memory for lighting tests: one empty box with six walls, and the contents that a test
 * adds. Luxels are 16 units. The room extends from (0, 0, 0) to `size`. */
#ifndef TESTS_ROOM_BSP_H
#define TESTS_ROOM_BSP_H

#include <stdio.h>
#include <string.h>

#include "common/bsp/bsp.h"
#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/geom/vec.h"

/* Faces of the room, by the side that they bound. */
enum { ROOM_LOW_X, ROOM_HIGH_X, ROOM_LOW_Y, ROOM_HIGH_Y, ROOM_FLOOR, ROOM_CEILING };

enum { ROOM_LUXEL = 16, ROOM_WALL = 16 };

/* Planes are shared by number, as in compiled maps, which assign faces to sides by it. */
static inline int room_plane(struct bsp *bsp, int axis, double sign, double at)
{
    int first = (int)arrlen(bsp->planes);
    for (int i = 0; i < first; i++) {
        const struct bsp_plane *plane = &bsp->planes[i];
        if ((double)plane->normal[axis] == sign && (double)plane->dist == sign * at)
            return i;
    }
    for (int i = 0; i < 2; i++) {
        struct bsp_plane plane = {.type = axis};
        double side = i ? -sign : sign;
        plane.normal[axis] = (float)side;
        plane.dist = (float)(side * at);
        arrput(bsp->planes, plane);
    }
    return first;
}

/* A texture along the two other axes, one for each axis; `flags` are added. */
static inline int room_texinfo(struct bsp *bsp, int axis, int flags)
{
    struct bsp_texinfo texinfo = {.flags = flags, .texdata = 0};
    int s = axis == 0 ? 1 : 0, t = axis == 2 ? 1 : 2;
    texinfo.texture[0][s] = texinfo.texture[1][t] = 4;
    texinfo.lightmap[0][s] = texinfo.lightmap[1][t] = 1.0f / (float)ROOM_LUXEL;
    arrput(bsp->texinfo, texinfo);
    return (int)arrlen(bsp->texinfo) - 1;
}

static inline void room_brush(struct bsp *bsp, struct vec3 mins, struct vec3 maxs, int contents)
{
    struct bsp_brush brush = {(int32_t)arrlen(bsp->brush_sides), 6, contents, 0};
    for (int axis = 0; axis < 3; axis++) {
        for (int high = 0; high < 2; high++) {
            double at = high ? maxs.e[axis] : mins.e[axis];
            struct bsp_brush_side side = {.plane = room_plane(bsp, axis, high ? 1 : -1, at),
                                          .texinfo = axis};
            arrput(bsp->brush_sides, side);
        }
    }
    arrput(bsp->brushes, brush);
}

static inline void room_edge(struct bsp *bsp, struct vec3 point)
{
    struct bsp_vertex vertex = {{(float)point.x, (float)point.y, (float)point.z}};
    int number = (int)arrlen(bsp->vertices);
    arrput(bsp->vertices, vertex);
    struct bsp_edge edge = {{number, number}};
    arrput(bsp->surfedges, (int)arrlen(bsp->edges));
    arrput(bsp->edges, edge);
}

/* A face of the inside of the room, across `axis`. */
static inline void room_face(struct bsp *bsp, struct vec3 size, int axis, bool high, int flags)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    struct bsp_face face = {.first_edge = (int32_t)arrlen(bsp->surfedges),
                            .edge_count = 4,
                            .dispinfo = -1,
                            .fog_volume = -1,
                            .light_offset = -1,
                            .original_face = -1};
    memset(face.styles, BSP_STYLE_NONE, sizeof face.styles);
    face.plane = room_plane(bsp, axis, high ? -1 : 1, high ? size.e[axis] : 0);
    face.texinfo = room_texinfo(bsp, axis, flags);
    face.area = (float)(size.e[u] * size.e[v]);
    for (int i = 0; i < 4; i++) {
        /* Clockwise from inside the room: u x v points along the axis. */
        int k = high ? i : 3 - i;
        struct vec3 point = vec3(0, 0, 0);
        point.e[axis] = high ? size.e[axis] : 0;
        point.e[u] = k == 1 || k == 2 ? size.e[u] : 0;
        point.e[v] = k >= 2 ? size.e[v] : 0;
        room_edge(bsp, point);
    }
    int s = axis == 0 ? 1 : 0, t = axis == 2 ? 1 : 2;
    face.lightmap_size[0] = (int)(size.e[s] / (double)ROOM_LUXEL);
    face.lightmap_size[1] = (int)(size.e[t] / (double)ROOM_LUXEL);
    arrput(bsp->leaf_faces, (int)arrlen(bsp->faces));
    arrput(bsp->faces, face);
}

/* Six nodes that cut off the outside; leaf 0 is solid, leaf 1 the room. */
static inline void room_tree(struct bsp *bsp)
{
    for (int i = 0; i < 6; i++) {
        struct bsp_node node = {.plane = bsp->faces[i].plane};
        node.children[0] = i < 5 ? i + 1 : -2;
        node.children[1] = -1;
        arrput(bsp->nodes, node);
    }
    struct bsp_leaf solid = {.contents = CONTENTS_SOLID, .cluster = -1, .water_data = -1};
    struct bsp_leaf room = {.cluster = 0, .water_data = -1, .face_count = 6};
    for (int k = 0; k < 3; k++)
        room.maxs[k] = (int32_t)bsp->models[0].maxs[k];
    arrput(bsp->leaves, solid);
    arrput(bsp->leaves, room);
}

/* `flags` are those of the six faces (enum surface_flag), or NULL. */
static inline struct bsp *room_new(struct vec3 size, double reflectivity, const int *flags)
{
    struct bsp *bsp = bsp_new();
    struct bsp_texdata texdata = {
        .width = 512, .height = 512, .view_width = 512, .view_height = 512};
    for (int k = 0; k < 3; k++)
        texdata.reflectivity[k] = (float)reflectivity;
    arrput(bsp->texdata, texdata);
    char *name = memory_zalloc(8, 1);
    strcpy(name, "dev/a");
    arrput(bsp->texture_names, name);
    for (int axis = 0; axis < 3; axis++)
        room_texinfo(bsp, axis, 0);
    struct bsp_model model = {.face_count = 6};
    for (int k = 0; k < 3; k++)
        model.maxs[k] = (float)size.e[k];
    arrput(bsp->models, model);
    for (int axis = 0; axis < 3; axis++) {
        for (int high = 0; high < 2; high++) {
            int side = 2 * axis + high;
            struct vec3 mins = vec3(-ROOM_WALL, -ROOM_WALL, -ROOM_WALL);
            struct vec3 maxs = vec3_add(size, vec3(ROOM_WALL, ROOM_WALL, ROOM_WALL));
            mins.e[axis] = high ? size.e[axis] : -ROOM_WALL;
            maxs.e[axis] = high ? size.e[axis] + (double)ROOM_WALL : 0;
            int face_flags = flags ? flags[side] : 0;
            room_face(bsp, size, axis, high, face_flags);
            bool sky = face_flags & SURFACE_SKY;
            if (!sky)
                room_brush(bsp, mins, maxs, CONTENTS_SOLID);
        }
    }
    room_tree(bsp);
    for (int i = 0; i < (int)arrlen(bsp->brushes); i++)
        arrput(bsp->leaf_brushes, i);
    bsp->leaves[0].brush_count = (int32_t)arrlen(bsp->leaf_brushes);
    bsp->leaves[1].first_brush = bsp->leaves[0].brush_count;
    return bsp;
}

/* A solid box without drawn faces in the room. */
static inline void room_add_box(struct bsp *bsp, struct vec3 mins, struct vec3 maxs)
{
    arrput(bsp->leaf_brushes, (int)arrlen(bsp->brushes));
    bsp->leaves[1].brush_count++;
    room_brush(bsp, mins, maxs, CONTENTS_SOLID | CONTENTS_DETAIL);
}

/* `text` is a list of entities; the text after a leading + belongs to the world itself. */
static inline void room_set_entities(struct bsp *bsp, const char *text)
{
    bool more = text[0] == '+';
    const char *world =
        more ? "{\n\"classname\" \"worldspawn\"\n" : "{\n\"classname\" \"worldspawn\"\n}\n";
    size_t first = strlen(world), length = strlen(text + more);
    arrsetlen(bsp->entities, first + length);
    memcpy(bsp->entities, world, first);
    memcpy(bsp->entities + first, text + more, length);
}

/* Sets the lighting of a luxel: style number `style` of the face, map `slot`. */
static inline void room_luxel(const struct bsp *bsp, int face_number, int style, int slot, int s,
                              int t, double rgb[3])
{
    const struct bsp_face *face = &bsp->faces[face_number];
    int width = face->lightmap_size[0] + 1, count = width * (face->lightmap_size[1] + 1);
    int slots = bsp->texinfo[face->texinfo].flags & SURFACE_BUMPLIGHT ? 4 : 1;
    size_t at = (size_t)(face->light_offset + 4 * ((style * slots + slot) * count + t * width + s));
    const unsigned char *p = bsp->ldr.lighting.data + at;
    for (int k = 0; k < 3; k++)
        rgb[k] = ldexp(p[k], (int8_t)p[3]);
}

static inline double room_grey(const struct bsp *bsp, int face, int s, int t)
{
    double rgb[3];
    room_luxel(bsp, face, 0, 0, s, t, rgb);
    return (rgb[0] + rgb[1] + rgb[2]) / 3;
}

#endif
