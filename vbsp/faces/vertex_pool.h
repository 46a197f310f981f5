/* The vertices of the map, without duplicates, and a spatial hash of them.
 *
 * Within one model, points within EPSILON_WELD (or `weld`) are one vertex. Models move on their
 * own, so points of different models are one vertex only when they are exactly equal. */
#ifndef VBSP_FACES_VERTEX_POOL_H
#define VBSP_FACES_VERTEX_POOL_H

#include <stdint.h>

#include "common/bsp/bsp.h"
#include "common/geom/winding.h"

struct vertex_place;

/* Hash entry of a vertex of this model. */
struct vertex_link {
    uint64_t cell; /* of the grid */
    int next;      /* in the chain of its slot, or -1 */
};

struct vertex_pool {
    struct bsp_vertex **vertices; /* the bsp's own array; the first is reserved */
    struct vertex_place *places;  /* hash map: all vertices by exact position */
    struct vertex_link *links;    /* stb_ds array, one per vertex */
    int *slots;                   /* stb_ds array: chains of vertices, by the hash of their cell */
    size_t count;                 /* vertices of this model */
    bool no_weld;
    double weld; /* points this close are one vertex; set by vertex_pool_init, as the next */
    double snap; /* a coordinate this close to an integer becomes that */
};

/* Adds the reserved first vertex when `vertices` is empty. */
void vertex_pool_init(struct vertex_pool *pool, struct bsp_vertex **vertices, bool no_weld);
void vertex_pool_free(struct vertex_pool *pool);

/* Forgets the vertices of the previous model. */
void vertex_pool_next_model(struct vertex_pool *pool);

/* The nearest vertex of this model within `weld`, or a new one. A coordinate within `snap` of an
 * integer becomes that integer. */
int vertex_pool_find(struct vertex_pool *pool, struct vec3 point);

/* The vertices of a winding, an stb_ds array without consecutive duplicates, so that no edge has
 * zero length. There may be fewer than three. */
int *vertex_pool_outline(struct vertex_pool *pool, const struct winding *winding);

struct vec3 vertex_pool_at(const struct vertex_pool *pool, int vertex);

/* A vertex close to a line, its distance along the line, and its distance from it. */
struct vertex_on_edge {
    double along, off;
    int vertex;
};

/* Appends the vertices of this model that lie within `reach` of the line between two vertices, and
 * between them, in order along it; those beside an end (farther off than along) do not count. The
 * cost is proportional to the length of the line. */
void vertex_pool_on_edge(const struct vertex_pool *pool, int from, int to, double reach,
                         struct vertex_on_edge **out);

#endif
