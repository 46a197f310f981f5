/* Internal to ballance/bmx: the parts of bmx_check_model. */
#ifndef BMX_CHECK_INTERNAL_H
#define BMX_CHECK_INTERNAL_H

#include "ballance/bmx/check.h"
#include "common/geom/vec.h"

struct checker {
    const struct bmx *bmx;
    struct bmx_findings *findings;
    struct bmx_stats *stats;
    bool *used_meshes, *used_materials, *used_textures;
    double work; /* budget of points to transform for the bounds */
};

void bmx_check_object(struct checker *checker, const struct bmx_object *object);
void bmx_check_mesh(struct checker *checker, const struct bmx_mesh *mesh, bool used);
void bmx_check_textures(struct checker *checker);

#endif
