/* How the direct light of surface lights differs from that of the rendering equation on what is
 * near them. Games have a look of their own beside glowing fixtures, which maps are made for: there
 * physical light is brighter by up to a hundred times, as a halo. */
#ifndef VRAD_LIGHTS_SURFACE_MODEL_H
#define VRAD_LIGHTS_SURFACE_MODEL_H

#include <stdbool.h>

struct surface_model {
    double lift;       /* light is taken so far above the surface that receives it, in units */
    double window;     /* side of the square over which a luxel takes it, in luxels */
    double near_share; /* of a light's own irradiance directly before it */
    /* The backsplash: a second light of the same shape, so far before the surface and facing it.
     * Its radiosity is this fraction of the surface's own, times the gain. */
    double backsplash, backsplash_gain, backsplash_distance;
};

enum surface_model_kind { SURFACE_PHYSICAL, SURFACE_SOURCE, SURFACE_QUAKE3 };

/* A row of the table of models. */
const struct surface_model *surface_model_of(enum surface_model_kind kind);

/* Returns true if luxels take the light of surface lights elsewhere than at their own samples. */
static inline bool surface_model_moves(const struct surface_model *model)
{
    return model && (model->lift > 0 || model->window > 1);
}

#endif
