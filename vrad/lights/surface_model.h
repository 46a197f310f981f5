/* How the direct light of Quake 3's surface lights differs from that of the rendering equation on
 * what is near them. */
#ifndef VRAD_LIGHTS_SURFACE_MODEL_H
#define VRAD_LIGHTS_SURFACE_MODEL_H

struct surface_model {
    double near_share; /* of a light's own irradiance directly before it */
    /* The backsplash: a second light of the same shape, so far before the surface and facing it.
     * Its radiosity is this fraction of the surface's own, times the gain. */
    double backsplash, backsplash_gain, backsplash_distance;
};

enum surface_model_kind { SURFACE_PHYSICAL, SURFACE_QUAKE3 };

/* A row of the table of models. */
const struct surface_model *surface_model_of(enum surface_model_kind kind);

#endif
