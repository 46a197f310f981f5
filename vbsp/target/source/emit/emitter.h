/* What the records of one model need to know of those before; for the files of this room alone. */
#ifndef VBSP_SOURCE_EMIT_EMITTER_H
#define VBSP_SOURCE_EMIT_EMITTER_H

#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/entities/state.h"

/* An edge, as long as only one face has it. */
struct open_edge {
    int to;       /* its second vertex */
    int contents; /* of that face */
    int next;     /* another open one with the same first vertex, or 0 */
};

struct original_cell {
    const struct brush_side *key;
    int value; /* its original face */
};

struct emitter {
    int *first_open;        /* stb_ds array, one a vertex: the open edge added last, or 0 */
    struct open_edge *open; /* stb_ds array, one an edge */
    struct original_cell *originals; /* hash map: original faces by brush side */
    int *unshadowed; /* stb_ds array: ids of sides whose faces take no dynamic shadows */
};

#endif
