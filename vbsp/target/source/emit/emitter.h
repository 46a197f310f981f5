/* State shared by the records of all models; private to this module. */
#ifndef VBSP_SOURCE_EMIT_EMITTER_H
#define VBSP_SOURCE_EMIT_EMITTER_H

#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/entities/state.h"

/* An edge used by only one face so far. */
struct open_edge {
    int to;       /* its second vertex */
    int contents; /* of that face */
    int next;     /* next open edge with the same first vertex, or 0 */
};

struct original_cell {
    const struct brush_side *key;
    int value; /* its original face */
};

struct emitter {
    int *first_open;                 /* stb_ds array, one per vertex: the last open edge, or 0 */
    struct open_edge *open;          /* stb_ds array, one per edge */
    struct original_cell *originals; /* hash map: original faces by brush side */
    int *unshadowed;                 /* stb_ds array: ids of sides without dynamic shadows */
};

#endif
