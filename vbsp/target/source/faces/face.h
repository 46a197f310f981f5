/* clang-format off */
/* Faces: polygons that will be drawn, from the portals of a tree or from detail brushes. In order:
 *
 *   faces.c          faces of portals, on nodes and in the lists of the leaves that see them; faces
 *                    of detail brushes, in a list of their own
 *   merge.c          neighbours merged: face->merged
 *   subdivide.c      faces cut to the maximum lightmap size: face->split
 *   tjunction.c      vertices, T-junctions, primitives
 *
 * A merged or cut face stays in its lists and points to its result, so that a leaf which lists it
 * finds the faces that are finally drawn. Faces are allocated in the tree's arena. */
/* clang-format on */
#ifndef VBSP_SOURCE_FACES_FACE_H
#define VBSP_SOURCE_FACES_FACE_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* Sides with one of these surface flags get no face. */
enum { FACE_NOT_DRAWN = SURFACE_NODRAW | SURFACE_HINT | SURFACE_SKIP };

struct face {
    struct face *next; /* in the list of its node, or in its list */
    int plane;         /* the face's side of the pair */
    int texinfo;
    int contents; /* of the leaf that sees it; for a detail face, of its brush */
    uint32_t smoothing_groups;
    struct winding *winding;       /* before T-junction fixing, which changes only `vertices` */
    const struct brush_side *side; /* of the map brush that it comes from */
    const struct map_brush *brush; /* owner of `side`, for detail and displacement faces */
    bool on_node;                  /* otherwise only leaves list it */
    bool in_leaf;                  /* some leaf lists it (detail faces) */
    bool displacement;             /* base face of a displacement; in no leaf */
    struct face *merged;           /* the face that it was merged into, or NULL */
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

/* Calls `visit` for each face that is drawn for `face`: itself, the one that it was merged into, or
 * its parts. */
typedef void face_visit(void *context, struct face *face);
void face_final(struct face *face, face_visit *visit, void *context);
/* The same for all faces of a list, without duplicates. */
void face_list_final(struct face *list, face_visit *visit, void *context);
/* Frees their vertices once they are written. */
void face_list_free_outlines(struct face *list);

/* Makes the faces of a tree's portals; adds them to the nodes of the portals and to the lists of
 * the leaves that see them. Portals may be rebuilt afterwards. */
void faces_make(struct compile *compile, struct tree *tree);

/* Merges or cuts the faces on each node (options no_merge, no_subdiv). A map that would need a
 * million lightmap parts is reported (LIGHTMAP_DENSE); the remaining faces stay whole, and the
 * compile fails at the end. */
void faces_merge(struct compile *compile, struct tree *tree);
void faces_subdivide(struct compile *compile, struct tree *tree);

/* The same for one list. Merged faces are appended; parts of cut ones are in no list. */
void face_list_merge(const struct compile *compile, struct arena *arena, struct face **list);
void face_list_subdivide(struct compile *compile, struct arena *arena, struct face *list);

/* Makes the faces of the world's detail brushes, merged and subdivided, and lists faces and brushes
 * in the leaves that they touch. `brushes` are fragments that were chopped against each other. */
struct face *faces_make_detail(struct compile *compile, struct tree *tree, struct brush *brushes);

/* Welds vertices, splits edges at T-junctions, makes primitives. Vertices are added to the bsp.
 * Only the world gets primitives. `displacements` are welded but get no points on their edges. */
void faces_fix_tjunctions(struct compile *compile, struct tree *tree, struct face *detail);

/* lint_faces.c: reports overlapping drawn faces (FACES_OVERLAP), with brush entities at their
 * initial positions. After the faces are in the bsp. Adds planes to the set, which must have been
 * written. */
void lint_faces(struct compile *compile);

#endif
