/* Changes of vertices by shaders: texture coordinates, colours, alpha, positions. */
#ifndef VBSP_QUAKE3_SURFACES_VERTEX_CHANGES_H
#define VBSP_QUAKE3_SURFACES_VERTEX_CHANGES_H

#include "vbsp/target/quake3/surfaces/surface.h"

/* Moves texture coordinates by whole repeats to near 0, where an image that does not repeat or that
 * turns is in place, and where floats are most exact. */

/* The middle of each surface's coordinates comes to 0 or above and below 1, on both axes. This is
 * for surfaces in their final form: those that were merged move together. Sky, flares, and surfaces
 * whose shader has q3map_globalTexture or SHADER_CLAMPS keep theirs. */
void surfaces_place_textures(struct draw_surface *surfaces, size_t count);

/* The same for each face of a shader with SHADER_CLAMPS: before they are merged, since each shows
 * the image once. */
void faces_place_textures(struct draw_surface *faces, size_t count);

/* A convex volume that changes the vertices inside of it, of any surface: a brush whose shader has
 * SHADER_VOLUME. In the space of the world. */
struct change_volume {
    const struct shader *shader;
    struct plane *planes; /* stb_ds array, facing out */
};

void change_volumes_free(struct change_volume *volumes); /* the array and its elements */

/* Applies the changes of each surface's shader, in their order, then those of volumes around its
 * vertices. Colours are computed from those of the vertices, and truncated. Normals count, so
 * smoothing comes before. `origin`: of the surfaces' space in the world. */
void surfaces_change_vertices(struct draw_surface *surfaces, size_t count,
                              const struct change_volume *volumes, size_t volume_count,
                              struct vec3 origin);

/* q3map_offset: moves vertices along their normals. Where those were smoothed, surfaces stay
 * connected. */
void surfaces_offset(struct draw_surface *surfaces, size_t count);

#endif
