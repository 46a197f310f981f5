/* Compares two BM files by meaning: names instead of numbers, sets of groups instead of lists,
 * corners instead of indices. */
#ifndef BMX_DIFF_H
#define BMX_DIFF_H

#include "ballance/bmx/bmx.h"

struct bmx_diff_options {
    double tolerance; /* of floats: absolute for values up to 1, above that relative */
    bool ignore_normals;
};

/* Called for a difference: "objects/Cube/matrix[3]", and the two values. The texts are valid during
 * the call. */
typedef void bmx_diff_visit(void *context, const char *where, const char *text);

/* Visits the differences in the order of objects, meshes, materials, textures, files and their
 * names, and returns their number. Of equal names the last one counts. The models may have errors:
 * an index out of range is compared as a number. */
size_t bmx_diff(const struct bmx *a, const struct bmx *b, const struct bmx_diff_options *options,
                bmx_diff_visit *visit, void *context);

#endif
