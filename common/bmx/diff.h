/* Two BM files compared by what they mean: names instead of numbers, sets of groups instead of
 * lists, corners instead of indices. */
#ifndef BMX_DIFF_H
#define BMX_DIFF_H

#include "common/bmx/bmx.h"

struct bmx_diff_options {
    double tolerance; /* of floats, for values up to 1 absolute, above that relative */
    bool ignore_normals;
};

/* A difference: "objects/Cube/matrix[3]", and what is on the two sides. The texts are valid during
 * the call. */
typedef void bmx_diff_visit(void *context, const char *where, const char *text);

/* Visits the differences in the order of objects, meshes, materials, textures, files and their
 * names; how many there are. Of equal names the last counts. The models may have errors: an index
 * that points nowhere is compared as a number. */
size_t bmx_diff(const struct bmx *a, const struct bmx *b, const struct bmx_diff_options *options,
                bmx_diff_visit *visit, void *context);

#endif
