/* What is wrong with the contents of a BM file, beyond its form. */
#ifndef BMX_CHECK_H
#define BMX_CHECK_H

#include "common/bmx/bmx.h"

/* Counts on the way. */
struct bmx_stats {
    size_t components, hidden, internal_textures;
    size_t positions, uvs, normals, faces; /* of all meshes, each counted once */
    size_t with_normals, against_normals;  /* faces by how they turn to their normals */
    bool has_bounds;
    double mins[3], maxs[3]; /* of the objects with meshes, by their matrices */
};

/* Checks indices, numbers, names and files (codes E_MATRIX_NAN to W_WINDING): without an error
 * among the findings every index points at something and every number is finite. */
void bmx_check_model(const struct bmx *bmx, struct bmx_findings *findings, struct bmx_stats *stats);

/* bmx_read and bmx_check_model. The model, or NULL. limits may be NULL. */
struct bmx *bmx_check(const void *data, size_t size, const struct bmx_limits *limits,
                      struct bmx_findings *findings, struct bmx_stats *stats);

#endif
