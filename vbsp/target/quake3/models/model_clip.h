/* Inside quake3/model: what collides, made of triangles. */
#ifndef VBSP_QUAKE3_MODELS_MODEL_CLIP_H
#define VBSP_QUAKE3_MODELS_MODEL_CLIP_H

#include "vbsp/target/quake3/models/model_place.h"

#define MODEL_CLIP_DEPTH 2.0 /* units, where no key says */

/* Appends a body for each triangle of a surface, drawn out `depth` units behind it: by default
 * along the axis that it faces most, so that those of a bent surface meet without gaps. Two
 * triangles that make a flat convex quad become one body. Shaders that are not solid get none. */
void model_clip(const struct draw_surface *surface, int flags, double depth,
                struct clip_body **out);

#endif
