/* The records of overlays. */
#ifndef BSP_OVERLAY_RECORDS_H
#define BSP_OVERLAY_RECORDS_H

#include <stdint.h>

enum { OVERLAY_FACES = 64 };

/* A corner's z of the first three is a component of the overlay's u axis; of the fourth: 1 when v
 * is flipped. */
struct bsp_overlay {
    int32_t id, texinfo;
    int32_t face_count, render_order; /* order 0..3 */
    int32_t faces[OVERLAY_FACES];
    float u[2], v[2], corners[4][3], origin[3], normal[3];
};

struct bsp_overlay_fade {
    float min_squared, max_squared; /* squared distances, -1: none */
};

struct bsp_overlay_system_level {
    uint8_t min_cpu, max_cpu, min_gpu, max_gpu;
};

/* A colour over the overlay's own: VBSP 25, from version 2 of the lump on. */
struct bsp_overlay_tint {
    uint8_t rgba[4];
};
#define OVERLAY_NO_TINT {{255, 255, 255, 255}}

#endif
