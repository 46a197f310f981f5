/* What the models of detail props say of where they are lit. */
#ifndef VRAD_SCENE_DETAIL_MODELS_H
#define VRAD_SCENE_DETAIL_MODELS_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

/* The middle of the hull of each model that the lump of detail props names, in units of the model,
 * as an stb_ds array that the caller frees; 0 0 0 for one that is not there or is broken (not
 * reported: it is lit at its foot). NULL without such a lump or with a broken one. */
struct vec3 *detail_models_middles(struct assets *assets, const struct bsp *bsp);

#endif
