/* Cuts a solid into convex pieces. */
#ifndef BALLANCE_LEVEL_SOLID_PIECES_H
#define BALLANCE_LEVEL_SOLID_PIECES_H

#include "ballance/level/solid_surface.h"

struct piece_side {
    struct drawn_plane drawn; /* out of the piece */
    int mapping;              /* of the surface; -1: the solid has no face there */
    bool is_mixed;            /* it has others too */
};

struct solid_piece {
    struct piece_side *sides; /* stb_ds array */
};

enum pieces_status {
    PIECES_OK,
    PIECES_MANY,   /* more than the limit, or too much work */
    PIECES_UNLIKE, /* the pieces do not have the volume of the solid: its surface cuts itself */
};

struct pieces_limits {
    size_t max_pieces;
    double *work; /* that is left, in triangles to look at */
};

/* Cuts the solid by planes of its own faces, until all pieces are convex; then by edges between
 * textures, until each side has one, as far as the limit on pieces allows. Of a convex solid with
 * a texture on each side there is one piece. *slivers counts triangles that are too narrow for a
 * cut and whose texture no side has. *out is an stb_ds array for solid_pieces_free, empty unless
 * PIECES_OK. */
enum pieces_status solid_pieces(const struct solid_surface *surface, const struct mesh_shell *solid,
                                const struct pieces_limits *limits, struct solid_piece **out,
                                size_t *slivers);
void solid_pieces_free(struct solid_piece *pieces);

/* --- internal: piece_texture.c --- */

/* Sets the mappings of the sides of convex cells, and cuts cells with several on a side while there
 * are fewer than the limit. Cells may be appended. *slivers is as solid_pieces says. Returns false
 * when it takes too much work. */
bool pieces_texture(const struct solid_surface *surface, struct arena *arena,
                    const struct pieces_limits *limits, struct convex_cell **cells,
                    struct solid_piece **out, size_t *slivers);

#endif
