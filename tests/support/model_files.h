/* The files of a small model: a box of 8 vertices and 12 triangles, one mesh, one material. */
#ifndef TESTS_MODEL_FILES_H
#define TESTS_MODEL_FILES_H

#include "common/assets/models/mdl.h"

enum { BOX_CHECKSUM = 0x12345678, BOX_VERTICES = 8, BOX_INDICES = 36 };

struct model_files {
    struct bytes mdl, vvd, vtx;
};

static inline void model_files_put(struct bytes *bytes, size_t at, uint32_t value)
{
    store_u32(ORDER_LITTLE, bytes->data + at, value);
}

static inline void model_files_mdl(struct bytes *out, int version, int flags)
{
    bytes_fill(out, 0, 408);
    memcpy(out->data, "IDST", 4);
    model_files_put(out, 4, (uint32_t)version);
    model_files_put(out, 8, BOX_CHECKSUM);
    model_files_put(out, 152, (uint32_t)flags);
    model_files_put(out, 156, 1);
    const uint32_t lists[][2] = {{204, 408}, {212, 472}, {220, 0}, {232, 480}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        model_files_put(out, lists[i][0], 1);
        model_files_put(out, lists[i][0] + 4, lists[i][1]);
    }
    model_files_put(out, 224, 1);
    model_files_put(out, 228, 476);
    bytes_fill(out, 0, 64 + 4 + 4 + 16 + 148 + 116); /* the records */
    model_files_put(out, 408, 760 - 408);            /* the texture's name */
    model_files_put(out, 472, 764);                  /* its folder */
    model_files_put(out, 484, 1);                    /* the part: one model */
    model_files_put(out, 492, 16);
    model_files_put(out, 496 + 72, 1); /* the model: one mesh */
    model_files_put(out, 496 + 76, 148);
    model_files_put(out, 496 + 80, BOX_VERTICES);
    model_files_put(out, 644 + 8, BOX_VERTICES);
    model_files_put(out, 644 + 52, BOX_VERTICES);
    bytes_append(out, "box\0props\\\0metal", 17);
    model_files_put(out, 308, 771);
    model_files_put(out, 76, (uint32_t)out->size);
}

static inline void model_files_vvd(struct bytes *out, const double half[3])
{
    bytes_append(out, "IDSV", 4);
    bytes_u32(out, 4);
    bytes_u32(out, BOX_CHECKSUM);
    bytes_u32(out, 1);
    for (int i = 0; i < 8; i++)
        bytes_u32(out, BOX_VERTICES);
    bytes_u32(out, 0);
    bytes_u32(out, 64);
    bytes_u32(out, 64);
    bytes_u32(out, 64 + 48 * BOX_VERTICES);
    for (int i = 0; i < BOX_VERTICES; i++) {
        bytes_fill(out, 0, 16);
        for (int axis = 0; axis < 3; axis++)
            bytes_f32(out, (float)(i >> axis & 1 ? half[axis] : -half[axis]));
        bytes_f32(out, 0);
        bytes_f32(out, 0);
        bytes_f32(out, 1);
        bytes_f32(out, 0);
        bytes_f32(out, 0);
    }
    bytes_fill(out, 0, 16 * BOX_VERTICES);
}

/* `wide`: with the longer records of newer files. */
static inline void model_files_vtx(struct bytes *out, bool wide)
{
    static const unsigned char corners[BOX_INDICES] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5,
                                                       0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6,
                                                       0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    uint32_t group = wide ? 33 : 25, strip = wide ? 35 : 27;
    const uint32_t header[] = {7,
                               24,
                               53 | 9 << 16,
                               3,
                               BOX_CHECKSUM,
                               1,
                               0,
                               1,
                               36,
                               /* part */ 1,
                               8,
                               /* model */ 1,
                               8,
                               /* LOD */ 1,
                               12,
                               0};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        bytes_u32(out, header[i]);
    bytes_u32(out, 1); /* the mesh */
    bytes_u32(out, 9);
    bytes_u8(out, 0);
    bytes_u32(out, BOX_VERTICES);
    bytes_u32(out, group + strip);
    bytes_u32(out, BOX_INDICES);
    bytes_u32(out, group + strip + 9 * BOX_VERTICES);
    bytes_u32(out, 1);
    bytes_u32(out, group);
    bytes_fill(out, 0, group - 24);
    bytes_u32(out, BOX_INDICES);
    bytes_u32(out, 0);
    bytes_u32(out, BOX_VERTICES);
    bytes_u32(out, 0);
    bytes_u16(out, 1);
    bytes_u8(out, 1);
    bytes_fill(out, 0, strip - 19);
    for (int i = 0; i < BOX_VERTICES; i++) {
        bytes_fill(out, 0, 4);
        bytes_u16(out, (uint16_t)i);
        bytes_fill(out, 0, 3);
    }
    for (int i = 0; i < BOX_INDICES; i++)
        bytes_u16(out, corners[i]);
}

static inline struct model_files model_files_box(int version, int flags, const double half[3])
{
    struct model_files files = {0};
    model_files_mdl(&files.mdl, version, flags);
    model_files_vvd(&files.vvd, half);
    model_files_vtx(&files.vtx, version >= 49);
    return files;
}

static inline void model_files_free(struct model_files *files)
{
    bytes_free(&files->mdl);
    bytes_free(&files->vvd);
    bytes_free(&files->vtx);
}

#endif
