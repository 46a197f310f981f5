/* Vertex lighting of static props, into the pakfile. */
#ifndef VRAD_PROPS_VERTEX_LIGHT_H
#define VRAD_PROPS_VERTEX_LIGHT_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/scene/prop_set.h"
#include "vrad/vrad.h"

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
