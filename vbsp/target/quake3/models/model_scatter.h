/* Models strewn over surfaces: shaders' q3map_surfaceModel. */
#ifndef VBSP_QUAKE3_MODELS_MODEL_SCATTER_H
#define VBSP_QUAKE3_MODELS_MODEL_SCATTER_H

#include "vbsp/target/quake3/models/model_place.h"

/* Appends the models of all surfaces (polygons and triangles) whose shader names some, with "MODEL
 * DENSITY ODDS MINSCALE MAXSCALE MINANGLE MAXANGLE ORIENTED": one in each square of DENSITY units
 * in which a number below ODDS is drawn, turned by degrees between the angles, its z along the
 * surface's normal where ORIENTED is not 0. What is left out is 64, 1, 1, 1, 0, 360 and 0. Where
 * they are hangs on places alone. Models belong to the entity and model of their surface. Reported
 * are models that are missing (V435), each once, and numbers that make no sense (V439). */
void models_scatter(const struct draw_surface *surfaces, size_t count, struct assets *assets,
                    struct diag *diag, struct placed_models *out);

#endif
