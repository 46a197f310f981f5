#include "common/core/array.h"
#include "vbsp/target/source/emit/emitter.h"

/* The open edge of a face of the same contents, taken from its chain; 0: there is none. */
static int take_open(struct emitter *emitter, int from, int to, int contents)
{
    if (from >= arrlen(emitter->first_open))
        return 0;
    int *link = &emitter->first_open[from];
    while (*link && (emitter->open[*link].to != to || emitter->open[*link].contents != contents))
        link = &emitter->open[*link].next;
    int edge = *link;
    if (edge)
        *link = emitter->open[edge].next;
    return edge;
}

static int add_open(struct emitter *emitter, struct bsp *bsp, int from, int to, int contents)
{
    struct bsp_edge edge = {{from, to}};
    int number = (int)arrlen(bsp->edges);
    arrput(bsp->edges, edge);
    while (arrlen(emitter->first_open) <= from)
        arrput(emitter->first_open, 0);
    struct open_edge open = {to, contents, emitter->first_open[from]};
    arrput(emitter->open, open);
    emitter->first_open[from] = number;
    return number;
}

void emit_edge(struct compile *compile, int from, int to, int contents)
{
    struct emitter *emitter = source_state(compile)->emitter;
    int edge = 0;
    if (!compile->options->no_share)
        edge = -take_open(emitter, to, from, contents);
    if (!edge)
        edge = add_open(emitter, compile->bsp, from, to, contents);
    arrput(compile->bsp->surfedges, edge);
}
