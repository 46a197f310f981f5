/* Hand-made portal graphs: rooms with doors in axial walls. */
#ifndef TESTS_PORTAL_GRAPH_H
#define TESTS_PORTAL_GRAPH_H

#include "common/bsp/sidecar/prt.h"
#include "common/core/array.h"

/* A door in a wall across `axis`, which is at `at`; `low` and `high` are its corners along the next
 * two axes (for x: y, z; for y: z, x; for z: x, y). Room `after` is on the wall's positive side. */
static inline void graph_door(struct prt *prt, int before, int after, int axis, double at,
                              const double low[2], const double high[2])
{
    const double corners[4][2] = {
        {low[0], low[1]}, {low[0], high[1]}, {high[0], high[1]}, {high[0], low[1]}};
    struct vec3 points[4];
    for (int i = 0; i < 4; i++) {
        points[i].e[axis] = at;
        points[i].e[(axis + 1) % 3] = corners[i][0];
        points[i].e[(axis + 2) % 3] = corners[i][1];
    }
    struct prt_portal portal = {{after, before}, winding_new(&prt->arena, 4, points)};
    arrput(prt->portals, portal);
}

/* The same for walls across x and y, from the floor up. `from` and `to` are along the wall. */
static inline void graph_door_x(struct prt *prt, int before, int after, double x, double from,
                                double to)
{
    graph_door(prt, before, after, 0, x, (double[2]){from, 0}, (double[2]){to, 128});
}

static inline void graph_door_y(struct prt *prt, int before, int after, double y, double from,
                                double to)
{
    graph_door(prt, before, after, 1, y, (double[2]){0, from}, (double[2]){128, to});
}

#endif
