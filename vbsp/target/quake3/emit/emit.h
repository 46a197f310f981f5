/* Writes records of the tree, brushes, shaders, models and surfaces. */
#ifndef VBSP_QUAKE3_EMIT_EMIT_H
#define VBSP_QUAKE3_EMIT_EMIT_H

#include "vbsp/target/quake3/entities/state.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/tree/tree.h"

struct face;

void quake3_shaders_free(struct quake3 *quake3);
/* Writes the world, with the surfaces of the state. In the target table. */
void quake3_world(struct compile *compile, struct tree *tree, struct face *loose);
/* Writes the model of an entity. Consumes the surfaces, an stb_ds array. */
void quake3_emit_model(struct compile *compile, int entity, struct draw_surface *surfaces);
void quake3_emit_brushes(struct compile *compile);
void quake3_runs_free(struct quake3 *quake3);

#endif
