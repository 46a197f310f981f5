/* Brushes: as the map has them, and the convex fragments that the tree builder cuts them into. */
#ifndef VBSP_CSG_BRUSH_H
#define VBSP_CSG_BRUSH_H

#include "common/assets/assets.h"
#include "common/bsp/flags.h"
#include "common/geom/winding.h"
#include "vbsp/level/level.h"

/* A side that is already on a node of the tree above: never split by, never drawn. */
enum { TEXINFO_NODE = -1 };

struct displacement;

struct brush_side {
    int plane;               /* faces out of the brush */
    int record_plane;        /* what its record names: as drawn, also where it shares another */
    int texinfo;             /* or TEXINFO_NODE */
    int record_texinfo;      /* what its record names, also where texinfo is TEXINFO_NODE (clips) */
    struct winding *winding; /* NULL: a bevel, or clipped away by the other sides */
    int contents, flags;     /* of the side: enum contents_flag, enum surface_flag */
    bool bevel;
    bool visible;                    /* someone may see it: such sides are preferred as splitters */
    bool on_node;                    /* its plane is already a node above, in this branch */
    int tried;                       /* the last search for a splitter that looked at its plane */
    int overlays;                    /* group of the overlays that name it (overlay.h), 0: none */
    const struct map_side *map_side; /* NULL for bevels */
    const struct material *material;
    const struct brush_side *original; /* in the map brush that it was cut from; itself there */

    /* That it carries, or NULL. */
    struct displacement *displacement;
};

/* A brush of the map: one record of the brush lump. */
struct map_brush {
    int number; /* in the brush lump */
    int entity; /* in compile.entities: where the map has it. func_detail and the like stand in the
                   list of the world's brushes all the same */
    const struct map_solid *solid;
    int contents;
    int area_portal; /* number of the areaportal that it is, from 1; 0: none */
    struct bounds bounds;
    int side_count; /* with bevels */
    struct brush_side *sides;
};

/* A convex piece in the tree builder. Cutting makes new ones; the whole piece is moved, not copied,
 * and only the marks of its sides (on_node, tried) change on the way down. */
struct brush {
    /* What lists of pieces are searched for stands together. */
    struct brush *next;
    uint64_t plane_bits; /* of the sides' planes (plane_bit): a zero says that none is on it */
    struct bounds bounds;
    const struct map_brush *original; /* NULL: a volume that bounds a node */
    double inner_radius;              /* brush_fragment.c, once asked for; 0: not yet */
    int side_count;
    struct brush_side sides[];
};

#endif
