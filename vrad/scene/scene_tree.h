/* The world's brushes as the BSP tree has them, with the faces on its nodes.
 *
 * A ray that enters a solid leaf crosses the plane of a node there; its hit is the face on that
 * plane that contains the point. Without one (a side without a face, a gap between two) the tree
 * gives no answer, and the triangles of the scene are traced. */
#ifndef VRAD_SCENE_SCENE_TREE_H
#define VRAD_SCENE_SCENE_TREE_H

#include "common/geom/winding.h"
#include "common/trace/solid_tree.h"
#include "vrad/scene/scene_triangle.h"

/* A face that is still to be placed on nodes. */
struct scene_tree_face {
    int face; /* of the BSP, or SCENE_SKY */
    struct vec3 normal;
    struct winding *winding;
    float luxel[2][4];
};

struct scene_tree {
    struct leaf_tree leaves; /* borrowed, until finished */
    int32_t *kinds;          /* one per leaf; NULL: the tree is empty */
    struct solid_tree_box
        *boxes; /* stb_ds array: bounds of loose geometry, which the leaves refer to */
    size_t node_count;
    struct arena windings;
    struct scene_tree_face *pending; /* stb_ds array, until finished */

    struct solid_tree solids;
    struct solid_polygons faces; /* without nodes until finished */
    const struct solid_walks *walks;
};

/* Stays empty on CPUs without wide SIMD. `from` is the BSP's, and must live until
 * scene_tree_finish. Free with scene_tree_free. */
void scene_tree_begin(const struct bsp *bsp, const struct leaf_tree *from, uint32_t blocking,
                      struct scene_tree *out);
void scene_tree_free(struct scene_tree *tree);

/* Before scene_tree_finish. */
bool scene_tree_is_solid_at(const struct scene_tree *tree, struct vec3 point);
/* Adds the polygon of a face, which faces out of the solids behind it. `luxel` are its luxel
 * coordinates, axis . p + [3] each; NULL for the sky. */
void scene_tree_add_face(struct scene_tree *tree, int face, const struct winding *winding,
                         struct vec3 normal, const float (*luxel)[4]);
/* Marks the bounds of geometry that is not in the tree. */
void scene_tree_add_loose(struct scene_tree *tree, const struct bounds *place);
/* After all faces and bounds, before the first ray. */
void scene_tree_finish(struct scene_tree *tree);

static inline bool scene_tree_is_empty(const struct scene_tree *tree)
{
    return !tree->faces.nodes;
}

/* The hits of the lanes of `valid` on the world. Returns the lanes that are resolved; `loose` gets
 * those of them which may hit loose geometry before. */
uint32_t scene_tree_hit16(const struct scene_tree *tree, const struct trace_packet *packet,
                          uint32_t valid, uint32_t *loose, struct scene_hit hits[TRACE_PACKET]);

/* The same for two packets with similar directions; bits and hits of the second follow those of the
 * first. */
uint32_t scene_tree_hit_pair16(const struct scene_tree *tree, const struct trace_packet packets[2],
                               uint32_t valid, uint32_t *loose,
                               struct scene_hit hits[2 * TRACE_PACKET]);

/* Tests which lanes of `valid` hit the sky first of all the world. Returns the lanes that are
 * resolved; `sky` gets those of them that do, and their `far` in the packet becomes its distance;
 * `loose` as above. */
uint32_t scene_tree_sky16(const struct scene_tree *tree, struct trace_packet *packet,
                          uint32_t valid, uint32_t *sky, uint32_t *loose);

#endif
