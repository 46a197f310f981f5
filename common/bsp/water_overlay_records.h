/* The records of overlays of water. */
#ifndef BSP_WATER_OVERLAY_RECORDS_H
#define BSP_WATER_OVERLAY_RECORDS_H

#include <stdint.h>

enum { WATER_OVERLAY_FACES = 256 };

/* Corners as in struct bsp_overlay. */
struct bsp_water_overlay {
    int32_t id, texinfo;
    int32_t face_count, render_order;
    int32_t faces[WATER_OVERLAY_FACES];
    float u[2], v[2], corners[4][3], origin[3], normal[3];
};

#endif
