/* Faces: polygons that will be drawn, from the portals of a tree or from detail brushes. */
#ifndef VBSP_FACE_H
#define VBSP_FACE_H

#include "vbsp/compile.h"

struct face {
    struct face *next; /* on its node, or in the list of detail faces */
    int plane;         /* as the face looks */
    int texinfo;
    int contents; /* of the leaf that it is seen from */
    struct winding *winding;
    const struct brush_side *side; /* where it comes from */
    const struct map_brush *brush; /* may be NULL for a portal's face */
    int fog_volume; /* index of leaf water data, or -1 */
    bool detail;
    struct face *merged;    /* the face that took this one in, or NULL */
    struct face *split[2];  /* the faces that it was cut into, or NULLs */
    /* tjunction.c */
    int *vertices; /* stb_ds array of vertex numbers, once fixed */
    int first_primitive, primitive_count;
    int number; /* in the face lump, or -1 */
};

/* Makes the faces of a tree's portals and hangs them on portals and nodes. */
void faces_make(struct compile *compile, struct tree *tree);
/* Joins and cuts those on each node (options no_merge, no_subdiv). */
void faces_merge(struct compile *compile, struct tree *tree);
void faces_subdivide(struct compile *compile, struct tree *tree);
/* Faces of the world's detail brushes, merged and subdivided, listed in the leaves they touch.
 * `brushes` are pieces already chopped among themselves. */
struct face *faces_make_detail(struct compile *compile, struct tree *tree, struct brush *brushes);
/* Welds vertices, splits edges at T-junctions, makes primitives. */
void faces_fix_tjunctions(struct compile *compile, struct tree *tree, struct face *detail);

/* emit.c: a model's faces, nodes, leaves into the bsp. Detail faces first. */
void emit_model(struct compile *compile, int entity, struct tree *tree, struct face *detail);
/* Everything that is not a model: planes, brushes, texinfo, entities, areas, sentinels. */
NODISCARD enum status emit_rest(struct compile *compile);

#endif
