/* Internal: where a picture of a leak is taken from. */
#ifndef RENDER_PICTURES_LEAK_VIEW_H
#define RENDER_PICTURES_LEAK_VIEW_H

#include "common/core/arena.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"
#include "render/render.h"

/* A message about a leak (LEAK), by the properties of its place, for pictures. */

struct leak_polygon {
    const double (*points)[3];
    size_t count;
};

struct leak_facts {
    const struct diag_where *where;
    bool has_hole;
    struct vec3 hole; /* its centre */
    double width, height;
    const struct diag_where *solids; /* beside it */
    size_t solid_count;
    const double (*way)[3];              /* from the outside to the entity */
    size_t way_count;                    /* 0: the message has no way, and nothing can be drawn */
    const struct leak_polygon *polygons; /* that make up the hole */
    size_t polygon_count;
};

/* Borrows from the place; the list of polygons is in the arena. */
struct leak_facts leak_facts_of(const struct diag_where *where, struct arena *arena);

/* Number of a solid in the lump of brushes; -1: the message does not have it. */
int leak_brush(const struct leak_facts *leak, size_t solid);

/* Returns a view from the inside at the hole, or, without one, of the entity before the map. */
struct scene_view leak_view(const struct render *render, const struct leak_facts *leak);

#endif
