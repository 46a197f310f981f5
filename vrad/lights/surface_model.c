#include "vrad/lights/surface_model.h"

const struct surface_model *surface_model_of(enum surface_model_kind kind)
{
    static const struct surface_model models[] = {
        [SURFACE_PHYSICAL] = {.window = 1, .near_share = 1},
        /* A light less than a unit above a surface does not light it; measured. */
        [SURFACE_SOURCE] = {.lift = 1, .window = 2, .near_share = 1},
        /* Directly before a surface a quarter of q3map_surfacelight, as in other tools; farther
         * away twice that. */
        [SURFACE_QUAKE3] = {.window = 1,
                            .near_share = 0.5,
                            .backsplash = 0.05,
                            .backsplash_distance = 23},
    };
    return &models[kind];
}
