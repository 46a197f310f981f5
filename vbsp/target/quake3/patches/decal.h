/* Decals: patches of _decal entities, projected onto the surfaces before them. */
#ifndef VBSP_QUAKE3_PATCHES_DECAL_H
#define VBSP_QUAKE3_PATCHES_DECAL_H

#include "vbsp/target/quake3/surfaces/surface.h"

/* A patch and its projection. */
struct decal {
    struct draw_surface patch; /* of patch_surface, in world coordinates; the owner's */
    struct vec3
        direction; /* with the length of the projection: from the patch's centre to its target */
    size_t pieces; /* number of parts projected so far */
};

/* Projects decals onto `count` surfaces of a model whose space has that origin, and appends the
 * parts to *out (which is another array): polygons (SURFACE_PLANAR) with the decal's shader and
 * texture, no_tjunctions, of the surface's entity, fog, model and keys. Surfaces that face away
 * from the patch, are not drawn, are sky, or are flares get none; patches and meshes by their
 * triangles. */
void decals_project(struct decal *decals, size_t decal_count, const struct draw_surface *surfaces,
                    size_t count, struct vec3 origin, struct draw_surface **out);

/* Reports decals that hit no model (V436). */
void decals_report(const struct decal *decals, size_t count, struct diag *diag);

#endif
