/* The light of static props, vertex by vertex, into the pakfile. */
#ifndef VRAD_PROPS_VERTEX_LIGHT_H
#define VRAD_PROPS_VERTEX_LIGHT_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/scene/prop_set.h"
#include "vrad/vrad.h"

struct vertex_light_options {
    enum light_sides sides; /* which files: sp_N.vhv, sp_hdr_N.vhv or, with the same light, both */
    bool no_self_shadows;   /* of any prop, whatever its flags */
    bool normals;           /* show the normals instead of the light */
    size_t first_place;     /* irradiance_point.place of the first vertex; 0: none has one */
};

/* Makes the file of each prop that has vertices and wants their light; files of the same kind of
 * other props are removed. A vertex that solids or displacements cover takes the light of the
 * nearest that is free and looks the same way. Fails with the pakfile. */
NODISCARD enum status vertex_light(const struct env *env, const struct prop_set *set,
                                   const struct irradiance_sampler *sampler,
                                   const struct vertex_light_options *options, struct bsp *bsp);

#endif
