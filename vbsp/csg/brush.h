/* Map brushes, and the convex fragments that the tree builder cuts them into. */
#ifndef VBSP_CSG_BRUSH_H
#define VBSP_CSG_BRUSH_H

#include "common/assets/assets.h"
#include "common/bsp/flags.h"
#include "common/geom/winding.h"
#include "vbsp/level/level.h"

/* The side's plane is on a node above: it never splits again and is never drawn. */
enum { TEXINFO_NODE = -1 };

struct displacement;

struct brush_side {
    int plane;          /* faces out of the brush */
    int record_plane;   /* plane of the lump record: as drawn, before coplanar snapping */
    int texinfo;        /* or TEXINFO_NODE */
    int record_texinfo; /* texinfo of the lump record, also where texinfo is TEXINFO_NODE (clips) */
    struct winding *winding; /* NULL: a bevel, or clipped away by the other sides */
    int contents, flags;     /* of the side: enum contents_flag, enum surface_flag */
    bool bevel;
    bool visible;                    /* can be seen: visible sides are preferred as splitters */
    bool on_node;                    /* its plane is already a node above, in this branch */
    int tried;                       /* number of the last splitter search that tried its plane */
    int overlays;                    /* group of overlays on this side (overlay.h); 0: none */
    const struct map_side *map_side; /* NULL for bevels */
    const struct material *material;
    const struct brush_side
        *original; /* side of the map brush that it was cut from; itself in a map brush */

    /* The displacement on this side, or NULL. */
    struct displacement *displacement;
};

/* A brush of the map: one record of the brush lump. */
struct map_brush {
    int number; /* in the brush lump */
    int entity; /* in compile.entities: the entity that has it in the map. Brushes of func_detail
                   and the like are nevertheless listed with the world's. */
    const struct map_solid *solid;
    int contents;
    int area_portal; /* number of the areaportal that it is, from 1; 0: none */
    struct bounds bounds;
    int side_count; /* with bevels */
    struct brush_side *sides;
};

/* The sides that are no bevels. */
static inline int map_brush_drawn_sides(const struct map_brush *brush)
{
    int drawn = 0;
    for (int i = 0; i < brush->side_count; i++)
        drawn += !brush->sides[i].bevel;
    return drawn;
}

/* Returns whether the point is in the brush, or outside of its sides by no more than `reach`. */
static inline bool map_brush_contains(const struct map_brush *brush, const struct plane *planes,
                                      struct vec3 point, double reach)
{
    for (int i = 0; i < brush->side_count; i++)
        if (plane_distance(&planes[brush->sides[i].plane], point) > reach)
            return false;
    return brush->side_count > 0;
}

/* A convex fragment in the tree builder. Cutting allocates new ones; an uncut fragment is moved,
 * not copied, and on the way down only the marks of its sides (on_node, tried) change. */
struct brush {
    /* Fields that searches through fragment lists read are kept together. */
    struct brush *next;
    uint64_t plane_bits; /* bloom filter of the sides' planes (plane_bit): a zero bit means none is
                            on it */
    struct bounds bounds;
    const struct map_brush *original; /* NULL: a volume that bounds a node */
    double inner_radius;              /* cached by brush_fragment.c; 0: not computed */
    int side_count;
    struct brush_side sides[];
};

#endif
