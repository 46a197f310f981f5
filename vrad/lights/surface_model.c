#include "vrad/lights/surface_model.h"

#include "common/geom/angle.h"

const struct surface_model *surface_model_of(enum surface_model_kind kind)
{
    static const struct surface_model models[] = {
        [SURFACE_PHYSICAL] = {.near_share = 1},
        /* Measured: see docs/light-artefacts.md. Luxels take the backsplash a unit above their
         * surface, which is the same as a distance of 22 instead of 23. */
        [SURFACE_QUAKE3] = {.near_share = 3 / PI,
                            .backsplash = 0.05,
                            .backsplash_gain = 21 / PI,
                            .backsplash_distance = 23},
    };
    return &models[kind];
}
