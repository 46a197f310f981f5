/* Model files of a square floor, 64 units wide, and a triangle that stands on it. */
#ifndef TESTS_MESH_FILES_H
#define TESTS_MESH_FILES_H

#include "common/core/bytes.h"

static inline struct bytes text_file(const char *text)
{
    struct bytes file = {0};
    bytes_append(&file, text, strlen(text));
    return file;
}

static const char obj_square[] = "# a square\n"
                                 "v 0 0 0\nv 64 0 0\nv 64 64 0\nv 0 64 0\n"
                                 "v 0 0 0\nv 0 32 0\nv 0 0 32\n"
                                 "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 1\n"
                                 "usemtl textures\\test\\floor.tga\n"
                                 "f 1/1/1 2/2/1 3/3/1 4/4/1\n"
                                 "usemtl models/test/flag\nf 5 6 7\n";

static const char ase_square[] =
    "*3DSMAX_ASCIIEXPORT 200\n*COMMENT \"a square\"\n*SCENE { *SCENE_FILENAME \"x\" }\n"
    "*MATERIAL_LIST {\n*MATERIAL_COUNT 2\n"
    "*MATERIAL 0 {\n*MATERIAL_NAME \"floor\"\n"
    "*MAP_DIFFUSE { *BITMAP \"..\\textures\\test\\floor.tga\" } }\n"
    "*MATERIAL 1 {\n*MATERIAL_NAME \"models/test/flag\" }\n}\n"
    "*GEOMOBJECT {\n*NODE_NAME \"a\"\n*NODE_TM { *TM_POS 9 9 9 }\n*MESH {\n"
    "*MESH_NUMVERTEX 4\n*MESH_NUMFACES 2\n*MESH_VERTEX_LIST {\n"
    "*MESH_VERTEX 0 0 0 0\n*MESH_VERTEX 1 64 0 0\n*MESH_VERTEX 2 64 64 0\n*MESH_VERTEX 3 0 64 0\n"
    "}\n*MESH_FACE_LIST {\n"
    "*MESH_FACE 0: A: 0 B: 1 C: 2 AB: 1 BC: 1 CA: 1 *MESH_SMOOTHING *MESH_MTLID 0\n"
    "*MESH_FACE 1: A: 0 B: 2 C: 3 AB: 1 BC: 1 CA: 1 *MESH_SMOOTHING 1,2 *MESH_MTLID 0\n}\n"
    "*MESH_NUMTVERTEX 4\n*MESH_TVERTLIST {\n"
    "*MESH_TVERT 0 0 0 0\n*MESH_TVERT 1 1 0 0\n*MESH_TVERT 2 1 1 0\n*MESH_TVERT 3 0 1 0\n}\n"
    "*MESH_TFACELIST {\n*MESH_TFACE 0 0 1 2\n*MESH_TFACE 1 0 2 3\n}\n"
    "*MESH_NORMALS {\n"
    "*MESH_FACENORMAL 0 0 0 1\n*MESH_VERTEXNORMAL 0 0 0 1\n*MESH_VERTEXNORMAL 1 0 0 1\n"
    "*MESH_VERTEXNORMAL 2 0 0 1\n"
    "*MESH_FACENORMAL 1 0 0 1\n*MESH_VERTEXNORMAL 0 0 0 1\n*MESH_VERTEXNORMAL 2 0 0 1\n"
    "*MESH_VERTEXNORMAL 3 0 0 1\n}\n}\n*MATERIAL_REF 0\n}\n"
    "*GEOMOBJECT {\n*MESH {\n*MESH_VERTEX_LIST {\n"
    "*MESH_VERTEX 0 0 0 0\n*MESH_VERTEX 1 0 32 0\n*MESH_VERTEX 2 0 0 32\n}\n"
    "*MESH_FACE_LIST {\n*MESH_FACE 0: A: 0 B: 1 C: 2 AB: 1 BC: 1 CA: 1\n}\n}\n"
    "*MATERIAL_REF 1\n}\n";

/* Both are chunks: their size follows their name. */
static inline void lwo_chunk(struct bytes *file, const char *id, const struct bytes *data)
{
    bytes_append(file, id, 4);
    bytes_u32(file, (uint32_t)data->size);
    bytes_append(file, data->data, data->size);
    bytes_align(file, 2);
}

static inline void lwo_part(struct bytes *file, const char *id, const struct bytes *data)
{
    bytes_append(file, id, 4);
    bytes_u16(file, (uint16_t)data->size);
    bytes_append(file, data->data, data->size);
    bytes_align(file, 2);
}

static inline void lwo_name(struct bytes *file, const char *name)
{
    bytes_append(file, name, strlen(name) + 1);
    bytes_align(file, 2);
}

/* Takes the data of a chunk. */
static inline void lwo_end_chunk(struct bytes *file, const char *id, struct bytes *data)
{
    lwo_chunk(file, id, data);
    bytes_undo(data, 0);
    *data = (struct bytes){.order = ORDER_BIG};
}

/* In units of the map: y and z change places. */
static inline void lwo_points(struct bytes *file, const double (*points)[3], int count)
{
    struct bytes data = {.order = ORDER_BIG};
    for (int i = 0; i < count; i++) {
        bytes_f32(&data, (float)points[i][0]);
        bytes_f32(&data, (float)points[i][2]);
        bytes_f32(&data, (float)points[i][1]);
    }
    lwo_end_chunk(file, "PNTS", &data);
}

/* Texture coordinates of points; v grows upwards. */
static inline void lwo_texture(struct bytes *file, const char *name, const double (*values)[2],
                               int count)
{
    struct bytes data = {.order = ORDER_BIG};
    bytes_append(&data, "TXUV", 4);
    bytes_u16(&data, 2);
    lwo_name(&data, name);
    for (int i = 0; i < count; i++) {
        bytes_u16(&data, (uint16_t)i);
        bytes_f32(&data, (float)values[i][0]);
        bytes_f32(&data, (float)values[i][1]);
    }
    lwo_end_chunk(file, "VMAP", &data);
}

/* Four corners each, clockwise; a corner of -1 is left out. */
static inline void lwo_polygons(struct bytes *file, const int (*corners)[4], int count)
{
    struct bytes data = {.order = ORDER_BIG};
    bytes_append(&data, "FACE", 4);
    for (int i = 0; i < count; i++) {
        bytes_u16(&data, corners[i][3] < 0 ? 3 : 4);
        for (int k = 0; k < 4; k++)
            if (corners[i][k] >= 0)
                bytes_u16(&data, (uint16_t)corners[i][k]);
    }
    lwo_end_chunk(file, "POLS", &data);
}

static inline void lwo_polygon_tags(struct bytes *file, const char *kind, const int *tags,
                                    int count)
{
    struct bytes data = {.order = ORDER_BIG};
    bytes_append(&data, kind, 4);
    for (int i = 0; i < count; i++) {
        bytes_u16(&data, (uint16_t)i);
        bytes_u16(&data, (uint16_t)tags[i]);
    }
    lwo_end_chunk(file, "PTAG", &data);
}

static inline void lwo_surface(struct bytes *file, const char *name, double smoothing,
                               const char *map)
{
    struct bytes data = {.order = ORDER_BIG}, block = {.order = ORDER_BIG};
    struct bytes angle = {.order = ORDER_BIG}, text = {.order = ORDER_BIG};
    lwo_name(&data, name);
    lwo_name(&data, "");
    bytes_f32(&angle, (float)smoothing);
    lwo_part(&data, "SMAN", &angle);
    if (map) {
        lwo_name(&text, map);
        lwo_part(&block, "VMAP", &text);
        lwo_part(&data, "BLOK", &block);
    }
    bytes_free(&angle);
    bytes_free(&text);
    bytes_free(&block);
    lwo_end_chunk(file, "SURF", &data);
}

/* A file to which chunks are appended; its size in the head is not needed. */
static inline struct bytes lwo_begin(void)
{
    struct bytes file = {.order = ORDER_BIG};
    bytes_append(&file, "FORM\0\0\0\0LWO2", 12);
    return file;
}

static inline struct bytes lwo_square(void)
{
    static const double points[7][3] = {{0, 0, 0}, {64, 0, 0}, {64, 64, 0}, {0, 64, 0},
                                        {0, 0, 0}, {0, 32, 0}, {0, 0, 32}};
    static const double texture[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const int corners[2][4] = {{0, 3, 2, 1}, {4, 6, 5, -1}};
    static const int tags[] = {0, 1};
    struct bytes file = lwo_begin(), names = {.order = ORDER_BIG};
    lwo_name(&names, "textures\\test\\floor.tga");
    lwo_name(&names, "models/test/flag");
    lwo_end_chunk(&file, "TAGS", &names);
    lwo_points(&file, points, 7);
    lwo_texture(&file, "uv", texture, 4);
    lwo_polygons(&file, corners, 2);
    lwo_polygon_tags(&file, "SURF", tags, 2);
    lwo_surface(&file, "textures\\test\\floor.tga", 1.5, "uv");
    return file;
}

static inline void md3_name(struct bytes *file, const char *name)
{
    bytes_append(file, name, strlen(name));
    bytes_fill(file, 0, 64 - strlen(name));
}

/* Vertices of frame f are raised by 8 f units. */
static inline void md3_surface(struct bytes *file, const char *name, const char *shader,
                               const int (*points)[3], int count, const int *indices, int triangles,
                               int frames, unsigned normal)
{
    int triangles_at = 108, shaders_at = triangles_at + 12 * triangles;
    int texture_at = shaders_at + 68, vertices_at = texture_at + 8 * count;
    bytes_append(file, "IDP3", 4);
    md3_name(file, name);
    const int header[] = {0,           frames,
                          1,           count,
                          triangles,   triangles_at,
                          shaders_at,  texture_at,
                          vertices_at, vertices_at + 8 * count * frames};
    for (int i = 0; i < 10; i++)
        bytes_i32(file, header[i]);
    for (int i = 0; i < 3 * triangles; i++)
        bytes_i32(file, indices[i]);
    md3_name(file, shader);
    bytes_i32(file, 0);
    for (int i = 0; i < count; i++) {
        bytes_f32(file, (float)points[i][0] / 64);
        bytes_f32(file, 1 - (float)points[i][1] / 64);
    }
    for (int i = 0; i < frames * count; i++) {
        for (int k = 0; k < 3; k++)
            bytes_u16(file,
                      (uint16_t)(64 * (points[i % count][k] + (k == 2 ? 8 * (i / count) : 0))));
        bytes_u16(file, (uint16_t)normal);
    }
}

static inline struct bytes md3_square(int frames)
{
    const int square[4][3] = {{0, 0, 0}, {64, 0, 0}, {64, 64, 0}, {0, 64, 0}};
    const int flag[3][3] = {{0, 0, 0}, {0, 32, 0}, {0, 0, 32}};
    const int indices[6] = {0, 2, 1, 0, 3, 2};
    struct bytes file = {0};
    bytes_append(&file, "IDP3", 4);
    bytes_i32(&file, 15);
    md3_name(&file, "square");
    const int header[] = {0, frames, 0, 2, 0, 108, 108 + 56 * frames, 108 + 56 * frames, 0};
    for (int i = 0; i < 9; i++)
        bytes_i32(&file, header[i]);
    bytes_fill(&file, 0, (size_t)(56 * frames));
    md3_surface(&file, "floor", "textures\\test\\floor.tga", square, 4, indices, 2, frames, 0);
    md3_surface(&file, "models/test/flag", "", flag, 3, indices, 1, frames, 64);
    store_u32(ORDER_LITTLE, file.data + 104, (uint32_t)file.size);
    return file;
}

/* Offset of the first index of the first surface's triangles. */
static inline size_t md3_first_index(const struct bytes *file)
{
    return load_u32(file->data + 100) + 108;
}

#endif
