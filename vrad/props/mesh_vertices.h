/* Vertices of a model that belong together: those with one position and normal have one light, and
 * those that triangles join are one piece of the model. */
#ifndef VRAD_PROPS_MESH_VERTICES_H
#define VRAD_PROPS_MESH_VERTICES_H

#include "common/assets/models/model.h"

enum { VERTEX_HIDDEN = -1 };

struct mesh_vertices {
    int32_t *same_as; /* by vertex: the first with its position and normal, which has itself; or
                         VERTEX_HIDDEN: of a mesh that a static prop does not show */
    int32_t *piece;   /* by vertex: equal numbers are one piece. Triangles meet in a position, also
                         where it is several vertices, as at a hard edge */
};

/* Free with mesh_vertices_free. */
void mesh_vertices_find(const struct model *model, struct mesh_vertices *out);
void mesh_vertices_free(struct mesh_vertices *vertices);

#endif
