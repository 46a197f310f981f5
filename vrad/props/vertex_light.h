/* Vertex lighting of static props, into the pakfile. */
#ifndef VRAD_PROPS_VERTEX_LIGHT_H
#define VRAD_PROPS_VERTEX_LIGHT_H

#include "common/assets/models/model.h"
#include "vrad/ambient/irradiance_point.h"
#include "vrad/scene/prop_set.h"
#include "vrad/vrad.h"

/* Vertices of a model that belong together: those with one position and normal have one light, and
 * those that triangles join are one piece of the model. */

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

struct vertex_light_options {
    enum light_sides
        sides;            /* files to write: sp_N.vhv, sp_hdr_N.vhv or, with the same light, both */
    bool no_self_shadows; /* of all props, whatever their flags */
    bool normals;         /* write the normals in the place of the light */
    size_t first_cache_slot; /* cache_slot of the first vertex; 0: no cache */
};

/* Makes the file of each prop with vertices and vertex lighting; files of the same kind of other
 * props are removed. A vertex that solids, displacements or other props cover takes the light of
 * the nearest free one of its piece of the model, if it can with the same normal. Vertices of
 * meshes that a static prop does not show are black. Fails with the pakfile. */
NODISCARD enum status vertex_light(const struct env *env, const struct prop_set *set,
                                   const struct irradiance_sampler *sampler,
                                   const struct vertex_light_options *options, struct bsp *bsp);

#endif
