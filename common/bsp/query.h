/* Questions about a BSP: what is at a point, windings of faces, visibility rows. */
#ifndef BSP_QUERY_H
#define BSP_QUERY_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

/* The leaf of model `model` (0: the world) that holds the point, as its tree says. In IBSP only the
 * world has a tree; of other models it is leaf 0. */
int bsp_leaf_at(const struct bsp *bsp, int model, struct vec3 point);

/* The face of the world or a model on which the point lies, within `reach` of its plane, or -1. The
 * nearest of several, then the first. Displacements are tried by their base face. IBSP has no
 * faces, but surfaces: always -1. */
int bsp_face_at(const struct bsp *bsp, struct vec3 point, double reach);

/* Vertex number `index` of a face, 0 <= index < edge_count: the position in the vertex lump. */
int bsp_face_vertex(const struct bsp *bsp, const struct bsp_face *face, int index);
struct vec3 bsp_vertex_at(const struct bsp *bsp, int vertex);

/* OR of the contents of the brushes in the leaf's list that hold the point; sides belong to them.
 */
int bsp_brush_contents_at(const struct bsp *bsp, int leaf, struct vec3 point);

/* The game lump of that id, or NULL. */
struct bsp_game_lump *bsp_game_lump(const struct bsp *bsp, uint32_t id);

const char *bsp_texinfo_name(const struct bsp *bsp, int texinfo); /* "" when none, as in IBSP */

/* Visibility. Rows are (clusters + 7) / 8 bytes, bit n % 8 of byte n / 8 for cluster n. The row of
 * a cluster out of range, and what is missing of a damaged one, is zeros. */
int bsp_vis_clusters(const struct bsp *bsp); /* 0: no visibility */
/* Whether the visibility can be read: for a bsp whose indices nobody has checked. */
bool bsp_vis_is_sound(const struct bsp *bsp);
void bsp_vis_row(const struct bsp *bsp, int cluster, bool audible, unsigned char *row);
static inline bool bsp_vis_bit(const unsigned char *row, int cluster)
{
    return row[cluster >> 3] >> (cluster & 7) & 1;
}
/* Always, when there is no visibility; never, from or to a cluster out of range. */
bool bsp_vis_sees(const struct bsp *bsp, int from, int to);

#endif
