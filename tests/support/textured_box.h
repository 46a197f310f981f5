/* Files of a box with an atlas: 24 vertices, each side with its own normal and its own part of the
 * image, in a grid of 3 x 2 cells. */
#ifndef TESTS_TEXTURED_BOX_H
#define TESTS_TEXTURED_BOX_H

#include "tests/support/model_files.h"

enum { TEXTURED_VERTICES = 24, TEXTURED_SIDES = 6 };

/* Positions of the sides. */
struct box_atlas {
    double cell[2];  /* from one side to the next */
    double start[2]; /* of the first side */
    double size[2];  /* of each */
    bool stacked;    /* all at the position of the first */
};

/* Each side fills the middle 3/4 of its cell. */
static const struct box_atlas box_atlas = {
    {1 / 3.0, 1 / 2.0}, {1 / 24.0, 1 / 16.0}, {1 / 4.0, 3 / 8.0}, false};

/* Side 2 * axis faces down the axis, 2 * axis + 1 up. `at` are 0 .. 1 over it. */
static inline struct vec3 textured_box_point(int side, const double at[2], const double half[3])
{
    int axis = side / 2;
    struct vec3 p = vec3(0, 0, 0);
    p.e[axis] = side & 1 ? half[axis] : -half[axis];
    p.e[(axis + 1) % 3] = (2 * at[0] - 1) * half[(axis + 1) % 3];
    p.e[(axis + 2) % 3] = (2 * at[1] - 1) * half[(axis + 2) % 3];
    return p;
}

static inline void textured_box_uv(const struct box_atlas *atlas, int side, const double at[2],
                                   double uv[2])
{
    int cell[2] = {side % 3, side / 3};
    for (int i = 0; i < 2; i++)
        uv[i] = atlas->start[i] + (atlas->stacked ? 0 : cell[i] * atlas->cell[i]) +
                at[i] * atlas->size[i];
}

static inline void textured_box_vvd(struct bytes *out, const double half[3],
                                    const struct box_atlas *atlas)
{
    const uint32_t header[] = {4, BOX_CHECKSUM, 1};
    bytes_append(out, "IDSV", 4);
    for (size_t i = 0; i < 3; i++)
        bytes_u32(out, header[i]);
    for (int i = 0; i < 8; i++)
        bytes_u32(out, TEXTURED_VERTICES);
    bytes_u32(out, 0);
    bytes_u32(out, 64);
    bytes_u32(out, 64);
    bytes_u32(out, 64 + 48 * TEXTURED_VERTICES);
    for (int i = 0; i < TEXTURED_VERTICES; i++) {
        const double at[2] = {i & 1, i >> 1 & 1};
        double uv[2];
        int side = i / 4;
        struct vec3 p = textured_box_point(side, at, half);
        textured_box_uv(atlas, side, at, uv);
        bytes_fill(out, 0, 16);
        for (int k = 0; k < 3; k++)
            bytes_f32(out, (float)p.e[k]);
        for (int k = 0; k < 3; k++)
            bytes_f32(out, k != side / 2 ? 0 : side & 1 ? 1 : -1);
        bytes_f32(out, (float)uv[0]);
        bytes_f32(out, (float)uv[1]);
    }
    bytes_fill(out, 0, 16 * TEXTURED_VERTICES);
}

static inline void textured_box_vtx(struct bytes *out)
{
    static const int turns[2][6] = {{0, 1, 2, 1, 3, 2}, {0, 2, 1, 1, 2, 3}};
    const uint32_t header[] = {7, 24, 53 | 9 << 16, 3, BOX_CHECKSUM, 1, 0, 1, 36, 1, 8, 1,
                               8, 1,  12,           0};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        bytes_u32(out, header[i]);
    bytes_u32(out, 1);
    bytes_u32(out, 9);
    bytes_u8(out, 0);
    bytes_u32(out, TEXTURED_VERTICES);
    bytes_u32(out, 25 + 27);
    bytes_u32(out, BOX_INDICES);
    bytes_u32(out, 25 + 27 + 9 * TEXTURED_VERTICES);
    bytes_u32(out, 1);
    bytes_u32(out, 25);
    bytes_u8(out, 0);
    bytes_u32(out, BOX_INDICES);
    bytes_u32(out, 0);
    bytes_u32(out, TEXTURED_VERTICES);
    bytes_u32(out, 0);
    bytes_u16(out, 1);
    bytes_u8(out, 1);
    bytes_fill(out, 0, 8);
    for (int i = 0; i < TEXTURED_VERTICES; i++) {
        bytes_fill(out, 0, 4);
        bytes_u16(out, (uint16_t)i);
        bytes_fill(out, 0, 3);
    }
    for (int side = 0; side < TEXTURED_SIDES; side++)
        for (int i = 0; i < 6; i++)
            bytes_u16(out, (uint16_t)(4 * side + turns[side & 1][i]));
}

static inline struct model_files textured_box_files(const double half[3],
                                                    const struct box_atlas *atlas)
{
    struct model_files files = {0};
    model_files_mdl(&files.mdl, 48, MDL_STATIC_PROP);
    model_files_put(&files.mdl, 496 + 80, TEXTURED_VERTICES);
    model_files_put(&files.mdl, 644 + 8, TEXTURED_VERTICES);
    model_files_put(&files.mdl, 644 + 52, TEXTURED_VERTICES);
    textured_box_vvd(&files.vvd, half, atlas);
    textured_box_vtx(&files.vtx);
    return files;
}

#endif
