/* The triangles of a page, ordered by the way they are drawn. */
#ifndef VIEW_PACK_GEOMETRY_H
#define VIEW_PACK_GEOMETRY_H

#include "view/pack/materials.h"
#include "view/pack/page_light.h"

/* The light of a page. */
struct view_light {
    const struct light_atlas *atlas;
    const struct computed_light *computed; /* in the atlas */
};

/* Adds the streams "vertices" (the layout: geometry.c), "indices" (32 bits), "surfaces" (of each
 * surface of the mesh its face, entity and prop, -1: none, and 1 for displacements and patches; 32
 * bits each) and "sky" (positions of triangles), and head.draws: rows of kind, material, two-sided,
 * first index, number of indices, and for blended ones the centre; overlays are the last, in order.
 */
void view_geometry_pack(const struct map_scene *scene, const struct view_light *light,
                        struct view_materials *materials, struct view_data *data);

#endif
