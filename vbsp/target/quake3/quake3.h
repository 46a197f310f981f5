/* From the map to an IBSP: one tree, of the world, with brushes and surfaces filed in its leaves.
 *
 * The rooms, each of which knows those before it:
 *
 *   surfaces/  surfaces to be: polygons, triangles, patches; T-junctions, copies, flares
 *   patches/   curves, what collides with them, decals
 *   meta/      polygons made triangles and joined to few surfaces
 *   entities/  what entities' keys say, and the state that steps share
 *   brushes/   what brushes are by their shaders, fog, and what is seen of their sides
 *   models/    models that become surfaces and brushes, and what else entities place
 *   emit/      records of the bsp
 *
 * quake3.c has the order of the steps, shapes.c that of those for one model. */
#ifndef VBSP_QUAKE3_QUAKE3_H
#define VBSP_QUAKE3_QUAKE3_H

#include "vbsp/context.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* All surfaces of an entity's model, joined and free of T-junctions (an stb_ds array, the
 * caller's). `tree`: of the world, else NULL. */
struct draw_surface *quake3_shapes(struct compile *compile, struct tree *tree, int entity);

#endif
