/* What the records of one model need to know of those before. */
#ifndef VBSP_SOURCE_EMIT_EMITTER_H
#define VBSP_SOURCE_EMIT_EMITTER_H

#include "vbsp/faces/vertex_pool.h"
#include "vbsp/target/source/faces/face.h"

struct side_cell;

/* An edge, as long as only one face has it. */
struct open_edge {
    int to;       /* its second vertex */
    int contents; /* of that face */
    int next;     /* another open one with the same first vertex, or 0 */
};

struct emitter {
    struct vertex_pool pool;
    int *first_open;             /* stb_ds array, one a vertex: the open edge added last, or 0 */
    struct open_edge *open;      /* stb_ds array, one an edge */
    struct side_cell *originals; /* hash map: original faces by brush side */
    int *unshadowed; /* stb_ds array: ids of sides whose faces take no dynamic shadows */
    int models;      /* done so far */
};

/* The compile's emitter; made on the first call, with the reserved vertex, edge and leaf. */
struct emitter *emitter_of(struct compile *compile);

/* emit_edges.c: adds a surfedge. The edge is shared with a face of the same contents that has it
 * the other way round, unless the option no_share is set. */
void emit_edge(struct compile *compile, int from, int to, int contents);
void emit_edges_free(struct emitter *emitter);

/* emit_faces.c: writes a face, or those that it was cut into, and sets its number. */
void emit_face(struct compile *compile, struct face *face);
void emit_faces_free(struct emitter *emitter);

/* emit_tree.c: nodes with their faces, and leaves without; the number of the head node. */
int emit_tree(struct compile *compile, struct tree *tree);
/* A box as integers that hold it; zeros of one that is empty. */
void emit_box(const struct bounds *bounds, int32_t mins[3], int32_t maxs[3]);
/* Sorts an stb_ds array's end, from `first` on, and drops what is there twice. */
void emit_sort_unique(int32_t *list, size_t first);
/* Fills the lists of the leaves; every face has its number by now. */
void emit_leaf_faces(struct compile *compile, struct tree *tree);

/* emit_records.c */
void emit_planes(struct compile *compile);
void emit_brushes(struct compile *compile);

/* emit_texinfo.c: the texinfo that the records of the bsp name, without the unused ones, and what
 * they name in turn. The numbers in the records are changed to match. */
void emit_texinfo(struct compile *compile);

#endif
