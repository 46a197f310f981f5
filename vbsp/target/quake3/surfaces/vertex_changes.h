/* Changes of vertices by shaders: texture coordinates, colours, alpha, positions. */
#ifndef VBSP_QUAKE3_SURFACES_VERTEX_CHANGES_H
#define VBSP_QUAKE3_SURFACES_VERTEX_CHANGES_H

#include "vbsp/target/quake3/surfaces/surface.h"

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
