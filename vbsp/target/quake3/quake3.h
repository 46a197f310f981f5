/* clang-format off */
/* The compile to an IBSP: one tree, of the world, with brushes and surfaces filtered into its leaves.
 *
 * The modules, each of which may include those before it:
 *
 *   surfaces/  draw surfaces: polygons, triangles, patches; T-junctions, clones, flares
 *   patches/   curves, their collision, decals
 *   meta/      triangulation of polygons and merging into as few surfaces as possible
 *   entities/  keys of entities, and the state that steps share
 *   brushes/   contents of brushes by their shaders, fog, visible polygons of their sides
 *   models/    models that become surfaces and brushes, and other objects placed by entities
 *   emit/      records of the bsp
 *
 * quake3.c has the order of the steps, model_surfaces.c that of the steps for one model. */
/* clang-format on */
#ifndef VBSP_QUAKE3_QUAKE3_H
#define VBSP_QUAKE3_QUAKE3_H

#include "vbsp/context.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* Makes all surfaces of an entity's model, merged and without T-junctions (an stb_ds array that the
 * caller frees). `tree`: of the world, else NULL. */
struct draw_surface *quake3_model_surfaces(struct compile *compile, struct tree *tree, int entity);

#endif
