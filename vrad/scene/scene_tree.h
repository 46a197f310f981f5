/* The world's brushes as the tree of the BSP has them, and what they look like.
 *
 * A ray that goes into a solid leaf crosses the plane of a node there; a face on that plane that
 * holds the place is what it sees. Where there is none (a side without a face, a crack between
 * two), nothing is said, and the triangles of the scene have the answer. */
#ifndef VRAD_SCENE_SCENE_TREE_H
#define VRAD_SCENE_SCENE_TREE_H

#include "common/geom/winding.h"
#include "common/trace/solid_tree.h"
#include "vrad/scene/scene_triangle.h"

/* A face that is still to be put on the nodes. */
struct scene_look {
    int face; /* of the BSP, or SCENE_SKY */
    struct vec3 normal;
    struct winding *winding;
    float luxel[2][4];
};

struct scene_tree {
    struct leaf_tree leaves;      /* borrowed, until finished */
    int32_t *kinds;               /* one a leaf; NULL: the tree is empty */
    struct solid_tree_box *boxes; /* stb_ds array: around what is loose, a leaf with such each */
    size_t node_count;
    struct arena windings;
    struct scene_look *pending; /* stb_ds array, until finished */

    struct solid_tree solids;
    struct solid_polygons looks; /* without nodes until finished */
    const struct solid_walks *walks;
};

/* Without wide registers it stays empty. `from` is the bsp's, and stays until scene_tree_finish.
 * Free with scene_tree_free. */
void scene_tree_begin(const struct bsp *bsp, const struct leaf_tree *from, uint32_t blocking,
                      struct scene_tree *out);
void scene_tree_free(struct scene_tree *tree);

/* Before scene_tree_finish. */
bool scene_tree_is_solid_at(const struct scene_tree *tree, struct vec3 point);
/* The polygon of a face, which looks out of the solids behind it. `luxel` are its luxel
 * coordinates, axis . p + [3] each; NULL for the sky. */
void scene_tree_add_look(struct scene_tree *tree, int face, const struct winding *winding,
                         struct vec3 normal, const float (*luxel)[4]);
/* Something that is not in the tree stands in the box. */
void scene_tree_add_loose(struct scene_tree *tree, const struct bounds *place);
/* After the last of these, before the first ray. */
void scene_tree_finish(struct scene_tree *tree);

static inline bool scene_tree_is_empty(const struct scene_tree *tree)
{
    return !tree->looks.nodes;
}

/* What each lane of `valid` meets of the world. Returns the lanes of which it is known; `loose`
 * gets those of them which may meet something else before. */
uint32_t scene_tree_hit16(const struct scene_tree *tree, const struct trace_packet *packet,
                          uint32_t valid, uint32_t *loose, struct scene_hit hits[TRACE_PACKET]);

/* The same for two packets that go much the same way; bits and hits of the second follow those of
 * the first. */
uint32_t scene_tree_hit_two16(const struct scene_tree *tree, const struct trace_packet packets[2],
                              uint32_t valid, uint32_t *loose,
                              struct scene_hit hits[2 * TRACE_PACKET]);

/* Whether the sky is the first that each lane of `valid` meets of the world. Returns the lanes of
 * which it is known; `sky` gets those of them that meet it, and their `far` in the packet becomes
 * its distance; `loose` as above. */
uint32_t scene_tree_sky16(const struct scene_tree *tree, struct trace_packet *packet,
                          uint32_t valid, uint32_t *sky, uint32_t *loose);

#endif
