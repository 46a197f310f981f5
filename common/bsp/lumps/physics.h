/* Collision data of the physics engine: lump 29 (hulls of the world and of brush entities) and lump
 * 28 (hulls of displacements) of a VBSP.
 *
 * Lump 29 is a list of models, each with solids and a text. A lump is split into these and joined
 * again without decoding the solids; physics_solid_decode and physics_solid_encode convert one from
 * and to a struct physics_solid. All bytes here are little-endian; a console's big-endian lumps are
 * first converted by physics_reorder.
 *
 * Lengths are metres, 1 unit being 0.0254 m, and the axes are rotated: the point (x, y, z) of the
 * map is (x, -z, y). docs/formats/physics.md describes the layout in the file and the maps that it
 * was measured on. */
#ifndef BSP_LUMPS_PHYSICS_H
#define BSP_LUMPS_PHYSICS_H

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"
#include "common/text/keyvalues.h"

/* Lump 29 */

struct physics_model {
    int32_t index;        /* of the BSP's models; ascending in every file seen */
    struct bytes *solids; /* stb_ds array: the bytes after the size field of each */
    struct bytes text;    /* as stored, with its final NUL */
};

/* Zero-initialised, it is the empty lump; otherwise it ends with a terminator. */
struct physics {
    bool present;
    struct physics_model *models; /* stb_ds array */
    struct bytes rest;            /* after the terminator; empty in every file seen */
};

/* Splits a lump. Fails with BSP_LUMP, and *out empty, when sizes do not match or there is no
 * terminator. where may be NULL. Free *out with physics_free. */
NODISCARD enum status physics_decode(const struct bytes *lump, const struct diag_where *where,
                                     struct diag *diag, struct physics *out);
/* Appends the lump: the same bytes that were decoded. */
void physics_encode(const struct physics *physics, struct bytes *out);
void physics_free(struct physics *physics);

/* Parses the text into blocks, one per solid in order ("solid", "staticsolid", "fluid") besides
 * "virtualterrain" and "materialtable". The tree is in the arena. Fails like kv_parse in its
 * lenient mode; name is for messages. */
NODISCARD enum status physics_text_blocks(const struct physics_model *model, const char *name,
                                          struct arena *arena, struct diag *diag, struct kv **out);

/* One solid: convex hulls (ledges), and a binary tree of boxes and spheres around them */

enum {
    PHYSICS_TRIANGLES_MAX = 4096,   /* per ledge: 12 bits */
    PHYSICS_POINTS_MAX = 65536,     /* per solid */
    PHYSICS_MATERIALS_MAX = 128,    /* 7 bits */
    PHYSICS_SURFACE_MAX = 0xffffff, /* bytes without the header of 28 */
    PHYSICS_DEPTH_MAX = 256,        /* of the tree; real ones stay below 20 */
};

enum physics_kind {
    PHYSICS_OPAQUE, /* an unknown version or type: only its bytes */
    PHYSICS_POLY,   /* "VPHY", version 0x100, type 0 */
};

/* A point. The last four bytes have no meaning; they are often uninitialised memory of the program
 * that wrote them. */
struct physics_point {
    float p[3];
    uint32_t ignored;
};

/* A directed edge, from `point` to the point of the triangle's next edge. */
struct physics_edge {
    int32_t point;   /* of the solid's points */
    int32_t twin;    /* the opposite edge of the neighbour: 3 * triangle + edge, in the ledge */
    bool is_virtual; /* only in outer hulls */
};

/* Counter-clockwise seen from outside, in the axes of the file: (b - a) x (c - a) points
 * outwards. */
struct physics_triangle {
    struct physics_edge edges[3];
    int32_t pierce;   /* the ledge's triangle on the opposite side */
    uint8_t material; /* of the model's materialtable, from 1; 0 in brush entities */
    bool is_virtual;  /* only in outer hulls */
};

/* A closed convex hull. An outer hull encloses the hulls below an inner node of the tree. */
struct physics_ledge {
    bool is_outer;
    int32_t client;                         /* brush that a hull was made from; 0 for outer hulls */
    int32_t first_triangle, triangle_count; /* triangles are sorted by ledge, without gaps */
};

/* Nodes are in preorder: the first child follows its parent. */
struct physics_node {
    int32_t right; /* the second child, or 0 for a leaf */
    int32_t ledge; /* a leaf's hull, or an inner node's outer hull or -1; each ledge belongs to one
                      node */
    float centre[3], radius;
    uint8_t box[3];  /* half extents in 250ths of the radius */
    uint8_t counter; /* small numbers in some inner nodes; without meaning */
};

struct physics_solid {
    enum physics_kind kind;
    struct bytes opaque; /* of PHYSICS_OPAQUE; the other members are of PHYSICS_POLY */
    float drag[3];       /* areas along the axes, as fractions of the box's */
    float mass_centre[3], inertia[3];
    float radius;                       /* about the centre of mass */
    uint8_t deviation;                  /* 250ths of the radius, see docs/formats/physics.md */
    struct physics_ledge *ledges;       /* stb_ds arrays, in the order of the file */
    struct physics_triangle *triangles; /* of all ledges */
    struct physics_point *points;       /* shared by all ledges */
    struct physics_node *nodes;
    struct bytes axis_map; /* empty in every file seen */
    bool exact;            /* set by decoding: encoding gives the same bytes */
};

/* Decodes the bytes after the size field. A solid of an unknown version is not an error. Fails with
 * BSP_LUMP, and *out empty, when the parts do not fill the solid in their usual order, or an index
 * or the tree is invalid, and with BSP_LIMIT when a limit above is exceeded; so all indices of a
 * decoded solid are in range and it can be encoded. Geometry is not checked. Memory and work are
 * linear in the size. Free with physics_solid_free. */
NODISCARD enum status physics_solid_decode(const struct bytes *solid,
                                           const struct diag_where *where, struct diag *diag,
                                           struct physics_solid *out);
/* Appends the bytes after the size field: header, surface, ledges, points, tree. Fails, with
 * nothing appended, with BSP_LIMIT when a limit above is exceeded and with INTERNAL when indices or
 * the tree are invalid. */
NODISCARD enum status physics_solid_encode(const struct physics_solid *solid,
                                           const struct diag_where *where, struct diag *diag,
                                           struct bytes *out);
void physics_solid_free(struct physics_solid *solid);

/* Finds the twins of all edges. Returns false when a ledge is not closed: the opposite of an edge
 * is missing or occurs twice. */
bool physics_solid_pair_edges(struct physics_solid *solid);

/* Lump 28 */

struct physics_displacement {
    bool none;         /* no hull was stored */
    struct bytes hull; /* bytes, independent of byte order */
};

/* Zero-initialised, it is the empty lump, which differs from one with a count of 0. */
struct physics_displacements {
    bool present;
    struct physics_displacement *items; /* stb_ds array, one per displacement */
    struct bytes
        rest; /* bytes after the hulls: the count is 32 bits wide in a file of version 25 */
};

/* Splits the lump. Fails with BSP_LUMP, and *out empty, when it is too short for its sizes. */
NODISCARD enum status physics_displacements_decode(const struct bytes *lump,
                                                   const struct diag_where *where,
                                                   struct diag *diag,
                                                   struct physics_displacements *out);
void physics_displacements_free(struct physics_displacements *physics);

/* Byte order */

/* Appends a whole lump in the other byte order. Converting it back gives the same bytes. Returns
 * false, with nothing appended, when a part of the lump is unknown or damaged, so that the sizes of
 * its numbers are unknown; the empty lump is fine. out->order is ignored. */
bool physics_reorder(const struct bytes *in, enum byte_order from, enum byte_order to,
                     struct bytes *out);
bool physics_displacements_reorder(const struct bytes *in, enum byte_order from, enum byte_order to,
                                   struct bytes *out);

#endif
