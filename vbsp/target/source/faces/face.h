/* Faces: polygons that will be drawn, from the portals of a tree or from detail brushes. In order:
 *
 *   faces.c          from portals, on nodes and in the lists of the leaves that see them
 *   merge.c          neighbours joined: face->merged
 *   subdivide.c      cut for their lightmaps: face->split
 *   detail_faces.c   from detail brushes, a list of their own
 *   tjunction.c      vertices, T-junctions, primitives
 *
 * A face that was joined or cut stays where it is and points to what became of it, so that a leaf
 * which lists it finds the faces that are drawn in the end. Faces live in the tree's arena. */
#ifndef VBSP_SOURCE_FACES_FACE_H
#define VBSP_SOURCE_FACES_FACE_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* Sides with one of these surface flags make no face. */
enum { FACE_NOT_DRAWN = SURFACE_NODRAW | SURFACE_HINT | SURFACE_SKIP };

struct face {
    struct face *next; /* on its node, or in its list */
    int plane;         /* as the face looks */
    int texinfo;
    int contents; /* of the leaf that it is seen from; of a detail face, of its brush */
    uint32_t smoothing_groups;
    struct winding *winding;       /* as made; T-junctions are in `vertices` only */
    const struct brush_side *side; /* of the map brush that it comes from */
    const struct map_brush *brush; /* whose side that is, of detail and displacement faces */
    bool on_node;                  /* else only leaves list it */
    bool in_leaf;                  /* some leaf lists it (detail faces) */
    bool displacement;             /* the flat side that one starts from; in no leaf */
    struct face *merged;           /* the face that took this one in, or NULL */
    struct face *split[2];         /* the faces that it was cut into, or NULLs */
    /* tjunction.c */
    int *vertices; /* stb_ds array of vertex numbers; fewer than three: too small to draw */
    int first_primitive, primitive_count;
    int number; /* in the face lump, or -1 */
};

struct face_list {
    struct face *first;
    struct face **end; /* NULL: empty */
};

void face_list_add(struct face_list *list, struct face *face);
struct face *face_new(struct arena *arena);

/* Calls `visit` for each face that is drawn in place of `face`: itself, the one that took it in, or
 * the ones that it was cut into. */
typedef void face_visit(void *context, struct face *face);
void face_final(struct face *face, face_visit *visit, void *context);
/* The same for all faces of a list, each once. */
void face_list_final(struct face *list, face_visit *visit, void *context);
/* Frees the vertices of those, once they are written. */
void face_list_free_outlines(struct face *list);

/* Makes the faces of a tree's portals; hangs them on the nodes of the portals and lists them in the
 * leaves that see them. Portals may be made anew afterwards. */
void faces_make(struct compile *compile, struct tree *tree);

/* Joins and cuts those on each node (options no_merge, no_subdiv). A map whose lightmaps would need
 * a million parts is reported (LIGHTMAP_DENSE), what is left stays whole, and the compile fails in
 * the end. */
void faces_merge(struct compile *compile, struct tree *tree);
void faces_subdivide(struct compile *compile, struct tree *tree);

/* The same for one list. What joining makes is added at its end; parts are in no list. */
void face_list_merge(const struct compile *compile, struct arena *arena, struct face **list);
void face_list_subdivide(struct compile *compile, struct arena *arena, struct face *list);

/* Faces of the world's detail brushes, merged and subdivided, listed in the leaves they touch, and
 * the brushes in theirs. `brushes` are pieces already chopped among themselves. */
struct face *faces_make_detail(struct compile *compile, struct tree *tree, struct brush *brushes);

/* Adds to the lists of the open leaves that the face's winding touches. */
void face_list_in_leaves(const struct compile *compile, struct tree *tree, struct face *face);

/* Welds vertices, splits edges at T-junctions, makes primitives. Vertices go to the bsp. The world
 * alone gets primitives. `displacements` are welded but get no points on their edges. */
void faces_fix_tjunctions(struct compile *compile, struct tree *tree, struct face *detail);

/* lint_faces.c: after the faces are in the bsp: FACES_OVERLAP, of the faces that are drawn, brush
 * entities where they stand at first. Adds planes to the set, for which it is too late to be
 * written. */
void lint_faces(struct compile *compile);

#endif
