/* Checks the contents of a BM file, beyond its syntax. */
#ifndef BMX_CHECK_H
#define BMX_CHECK_H

#include "ballance/bmx/bmx.h"

/* Counts that the check collects. */
struct bmx_stats {
    size_t components, hidden, internal_textures;
    size_t positions, uvs, normals, faces; /* of all meshes, each mesh counted once */
    size_t with_normals, against_normals;  /* faces by the orientation of their normals */
    bool has_bounds;
    double mins[3], maxs[3]; /* of the objects with meshes, transformed */
};

/* Checks indices, numbers, names and files (codes E_MATRIX_NAN to W_WINDING): when no error was
 * found, every index is in range and every number is finite. */
void bmx_check_model(const struct bmx *bmx, struct bmx_findings *findings, struct bmx_stats *stats);

/* Calls bmx_read and bmx_check_model. Returns the model, or NULL. limits may be NULL. */
struct bmx *bmx_check(const void *data, size_t size, const struct bmx_limits *limits,
                      struct bmx_findings *findings, struct bmx_stats *stats);

#endif
