/* Queries on a BSP: the leaf, face or contents at a point, vertices of faces, visibility rows. */
#ifndef BSP_QUERY_H
#define BSP_QUERY_H

#include "common/bsp/bsp.h"
#include "common/geom/plane.h"
#include "common/geom/vec.h"

/* Returns the leaf of the tree of model `model` (0: the world) that contains the point. A point on
 * a plane is in front of it, as in the engines. In IBSP only the world has a tree; other models
 * give leaf 0. */
int bsp_leaf_at(const struct bsp *bsp, int model, struct vec3 point);

/* Returns a plane of the plane lump. */
struct plane bsp_plane_at(const struct bsp *bsp, int plane);

/* Returns vertex number `index` of a face, 0 <= index < edge_count, as an index in the vertex
 * lump. */
int bsp_face_vertex(const struct bsp *bsp, const struct bsp_face *face, int index);
struct vec3 bsp_vertex_at(const struct bsp *bsp, int vertex);

/* OR of the contents of the brushes in the leaf's list that contain the point; points on a side
 * count as inside. */
int bsp_brush_contents_at(const struct bsp *bsp, int leaf, struct vec3 point);

/* Returns the HDR lighting if that is wanted or the only one, else the LDR lighting. */
const struct bsp_light_set *bsp_lighting(const struct bsp *bsp, bool hdr);
/* Returns the faces with the lightmaps of a lighting: those of HDR may have a list of their own. */
const struct bsp_face *bsp_faces_of(const struct bsp *bsp, const struct bsp_light_set *light);

/* Returns the game lump of that id, or NULL. */
struct bsp_game_lump *bsp_game_lump(const struct bsp *bsp, uint32_t id);

const char *bsp_texinfo_name(const struct bsp *bsp, int texinfo); /* "" without one, as in IBSP */

/* Visibility. Rows are (clusters + 7) / 8 bytes; cluster n is bit n % 8 of byte n / 8. The row of a
 * cluster out of range is all zeros, as is the missing part of a damaged row. */
int bsp_vis_clusters(const struct bsp *bsp); /* 0: no visibility */
/* Returns true when the visibility can be read; for a bsp whose indices were not checked. */
bool bsp_vis_is_valid(const struct bsp *bsp);
void bsp_vis_row(const struct bsp *bsp, int cluster, bool audible, unsigned char *row);
static inline bool bsp_vis_bit(const unsigned char *row, int cluster)
{
    return row[cluster >> 3] >> (cluster & 7) & 1;
}
/* Returns true when there is no visibility, and false from or to a cluster out of range. */
bool bsp_vis_sees(const struct bsp *bsp, int from, int to);

/* The key of worldspawn with the side of the pages, in a game whose pages differ from those of its
 * container; and the sides that there can be. */
#define PAGE_SIDE_KEY "_lightmappage"
#define PAGE_SIDES    "128, 256, 512 or 1024"
bool bsp_can_be_page_side(int64_t side);

/* Luxels along a side of a lightmap page, and bytes of a page. */
int bsp_page_side(const struct bsp *bsp);
size_t bsp_page_bytes(const struct bsp *bsp);
size_t bsp_page_count(const struct bsp *bsp);

/* Mark that surfaces, and points of the light grid, have light of style 0 alone. */
void bsp_plain_surfaces(struct bsp *bsp);
void bsp_plain_grid(struct bsp *bsp);

/* Return the meaning of the flags of a shader (enum shader_surface, enum shader_contents): games
 * store them in their own ways (dialect.h). */
int32_t bsp_shader_surface(const struct bsp *bsp, int shader);
int32_t bsp_shader_contents(const struct bsp *bsp, int shader);

#endif
