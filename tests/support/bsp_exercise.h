/* Uses a BSP in every way that callers may: none may fail, whatever the file was. */
#ifndef TESTS_BSP_EXERCISE_H
#define TESTS_BSP_EXERCISE_H

#include "common/bsp/codec/format.h"
#include "common/bsp/codec/part_file.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"

static inline unsigned bsp_exercise_queries(const struct bsp *bsp)
{
    unsigned sum = 0;
    for (int i = 0; i < 8; i++) {
        struct vec3 point = vec3(i * 100.0 - 50, 70 * i, 32 * i);
        for (int model = 0; model < 3 && model < arrlen(bsp->models); model++) {
            int leaf = bsp_leaf_at(bsp, model, point);
            sum += (unsigned)leaf + (unsigned)bsp_brush_contents_at(bsp, leaf, point);
        }
    }
    for (int i = 0; i < arrlen(bsp->texinfo); i++)
        sum += (unsigned char)bsp_texinfo_name(bsp, i)[0];
    int clusters = bsp_vis_clusters(bsp);
    unsigned char *row = memory_zalloc(((size_t)clusters + 7) / 8 + 1, 1);
    for (int i = 0; i < clusters && i < 64; i++) {
        bsp_vis_row(bsp, i, i % 2, row);
        sum += row[0] + bsp_vis_sees(bsp, i, clusters - 1 - i);
    }
    memory_free(row);
    return sum;
}

/* True when the lumps of the file do not overlap: then it is written as it was read. */
static inline bool bsp_exercise_is_tiled(const struct bsp *bsp)
{
    int64_t end = 0;
    for (int i = 0; i < bsp->layout.count; i++) {
        int lump = bsp->layout.order[i];
        if (!bsp->layout.length[lump])
            continue;
        if (bsp->layout.offset[lump] < end)
            return false;
        end = bsp->layout.offset[lump] + bsp->layout.length[lump];
    }
    return true;
}

/* Reads only the tree of a file; NULL when it must be read whole. *opened distinguishes that from a
 * file that is refused. */
static inline struct bsp *bsp_exercise_part(const void *data, size_t size, bool *opened,
                                            struct diag *diag)
{
    struct bsp *bsp = NULL;
    struct fs *fs = fs_memory_new();
    fs->ops->write(fs, "map", data, size);
    struct bsp_part_file *part = bsp_part_open(fs, "map");
    *opened = part != NULL;
    enum status status = part ? bsp_part_decode_tree(part, diag, &bsp) : STATUS_FAILED;
    fs_memory_free(fs);
    return status == STATUS_OK ? bsp : NULL;
}

/* It is written the same, also after the rest has been read. */
static inline bool bsp_exercise_part_like(const void *data, size_t size, const struct bytes *tree,
                                          bool sound)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes out = {0};
    bool opened, fine;
    struct bsp *bsp = bsp_exercise_part(data, size, &opened, diag);
    if (!bsp) {
        fine = !opened || !sound;
    } else {
        enum status status = bsp_encode(bsp, NULL, "map", diag, &out);
        fine = sound && (status == STATUS_OK) == (tree->size > 0) && out.size == tree->size &&
               (!out.size || !memcmp(out.data, tree->data, out.size));
        bytes_free(&out);
        if (bsp_part_decode_rest("map", diag, &bsp) == STATUS_OK &&
            bsp_encode(bsp, NULL, "map", diag, &out) == STATUS_OK && bsp_exercise_is_tiled(bsp))
            fine = fine && out.size == size && !memcmp(out.data, data, size);
        bytes_free(&out);
        bsp_free(bsp);
    }
    diag_free(diag);
    return fine;
}

/* Reads the lumps around the tree only: it can be traversed, and the file is written unchanged. */
static inline bool bsp_exercise_tree(const void *data, size_t size, bool whole_is_sound)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = {0}, out = {0};
    struct bsp *bsp = NULL;
    bool fine, sound;
    bytes_append(&file, data, size);
    sound = bsp_decode_tree(&file, "map", diag, &bsp) == STATUS_OK;
    if (sound) {
        int leaf = bsp_leaf_at(bsp, 0, vec3(1, 2, 3));
        fine = !arrlen(bsp->leaves) || leaf < arrlen(bsp->leaves);
        if (bsp_encode(bsp, NULL, "map", diag, &out) == STATUS_OK && bsp_exercise_is_tiled(bsp))
            fine = fine && out.size == size && !memcmp(out.data, data, size);
        bsp_free(bsp);
    } else {
        fine = !bsp && !whole_is_sound && diag_count(diag, DIAG_ERROR) > 0;
    }
    fine = fine && bsp_exercise_part_like(data, size, &out, sound);
    bytes_free(&out);
    diag_free(diag);
    return fine;
}

/* Returns true when the bytes are refused, or written unchanged. */
static inline bool bsp_exercise(const void *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = NULL;
    bool fine = true, sound = false;
    if (bsp_decode(data, size, "map", diag, &bsp) == STATUS_OK) {
        struct bytes out = {0};
        sound = true;
        bsp_exercise_queries(bsp);
        bool verified = bsp_verify(bsp, "map", diag) == STATUS_OK;
        fine = verified == !diag_count(diag, DIAG_ERROR);
        if (bsp_encode(bsp, NULL, "map", diag, &out) == STATUS_OK && bsp_exercise_is_tiled(bsp))
            fine = fine && out.size == size && !memcmp(out.data, data, size);
        bytes_free(&out);
        bsp_free(bsp);
    } else {
        fine = !bsp && diag_count(diag, DIAG_ERROR) > 0;
    }
    diag_free(diag);
    return fine && bsp_exercise_tree(data, size, sound);
}

#endif
