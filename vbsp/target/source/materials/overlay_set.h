/* The overlays of a compile, for overlay*.c alone. */
#ifndef VBSP_SOURCE_MATERIALS_OVERLAY_SET_H
#define VBSP_SOURCE_MATERIALS_OVERLAY_SET_H

#include "vbsp/compile.h"

struct overlay {
    struct bsp_water_overlay record; /* the wider of the two; without its faces */
    struct bsp_overlay_fade fade;
    bool water;
    const struct map_entity *source;
    int *sides; /* stb_ds array: ids */
    int *faces; /* stb_ds array: numbers in the face lump, rising */
};

struct overlay_set {
    struct overlay *overlays; /* stb_ds array */
    int **groups; /* stb_ds array: group n + 1 of brush_side.overlays, the overlays of one side */
};

#endif
