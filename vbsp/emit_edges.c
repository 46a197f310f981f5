#include "common/core/array.h"
#include "vbsp/emitter.h"

struct edge_cell {
    struct bsp_edge key;
    int value; /* the first open edge */
};

/* The open edge of a face of the same contents, taken from the map; 0: there is none. */
static int take_open(struct emitter *emitter, int from, int to, int contents)
{
    struct bsp_edge key = {{from, to}};
    ptrdiff_t at = hmgeti(emitter->edges, key);
    if (at < 0)
        return 0;
    int *link = &emitter->edges[at].value;
    while (*link >= 0 && emitter->open[*link].contents != contents)
        link = &emitter->open[*link].next;
    int edge = *link;
    if (edge < 0)
        return 0;
    *link = emitter->open[edge].next;
    return edge;
}

static int add_open(struct emitter *emitter, struct bsp *bsp, int from, int to, int contents)
{
    struct bsp_edge edge = {{from, to}};
    int number = (int)arrlen(bsp->edges);
    arrput(bsp->edges, edge);
    ptrdiff_t at = hmgeti(emitter->edges, edge);
    struct open_edge open = {contents, at < 0 ? -1 : emitter->edges[at].value};
    arrput(emitter->open, open);
    hmput(emitter->edges, edge, number);
    return number;
}

void emit_edge(struct compile *compile, int from, int to, int contents)
{
    struct emitter *emitter = compile->emitter;
    int edge = 0;
    if (!compile->options->no_share)
        edge = -take_open(emitter, to, from, contents);
    if (!edge)
        edge = add_open(emitter, compile->bsp, from, to, contents);
    arrput(compile->bsp->surfedges, edge);
}

void emit_edges_free(struct emitter *emitter)
{
    hmfree(emitter->edges);
    arrfree(emitter->open);
}
