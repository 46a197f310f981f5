/* The records of worldlights, and what their numbers mean. */
#ifndef BSP_WORLDLIGHT_H
#define BSP_WORLDLIGHT_H

#include <stdint.h>

enum worldlight_type {
    WORLDLIGHT_SURFACE,
    WORLDLIGHT_POINT,
    WORLDLIGHT_SPOT,
    WORLDLIGHT_SKY,
    WORLDLIGHT_QUAKE,
    WORLDLIGHT_SKY_AMBIENT,
};

/* Flags of a worldlights record. */
enum light_flag {
    LIGHT_IN_AMBIENT_CUBE = 1, /* weak: included in the leaves' ambient cubes */
    LIGHT_NOT_ON_GRID = 2,     /* Quake 3: none for the light grid */
};

struct bsp_worldlight {
    float origin[3], intensity[3], normal[3];
    float shadow_cast_offset[3]; /* only in version 1 records */
    int32_t cluster;
    int32_t type; /* enum worldlight_type */
    int32_t style;
    float stopdot, stopdot2, exponent, radius;
    float constant, linear, quadratic;
    int32_t flags, texinfo, owner;
};

#endif
