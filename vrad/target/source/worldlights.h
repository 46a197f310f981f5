/* The worldlights lump, which hands the lights on to the engine. */
#ifndef VRAD_SOURCE_WORLDLIGHTS_H
#define VRAD_SOURCE_WORLDLIGHTS_H

#include "common/bsp/bsp.h"
#include "vrad/lights/light.h"

/* One record a light, in order (an stb_ds array, the caller's). Intensities are on the scale of 1;
 * suns stand where their entity stands. */
struct bsp_worldlight *worldlights_make(const struct light_set *set);

/* Sets the leaves' sky flags anew, as is done in maps that have a light_environment: a leaf has one
 * when its cluster sees a leaf with faces of that sky. */
void worldlights_mark_sky_leaves(struct bsp *bsp);

/* Marks the texinfo of the faces that give light (SURFACE_LIGHT). */
void worldlights_mark_glowing(struct bsp *bsp, const struct light_set *set);

#endif
