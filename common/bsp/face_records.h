/* The records of faces. */
#ifndef BSP_FACE_RECORDS_H
#define BSP_FACE_RECORDS_H

#include "common/bsp/bsp.h"

struct bsp_face {
    int32_t
        plane; /* the one of the pair that faces the same way as the face; vertices are clockwise */
    uint8_t side;    /* 1: `plane` is the second of the pair, facing against the node's plane */
    uint8_t on_node; /* 1: listed by its node; 0: a detail face, in leaves only */
    int32_t first_edge, edge_count; /* in surfedges */
    int32_t texinfo;
    int32_t dispinfo;   /* -1: none */
    int32_t fog_volume; /* -1: none */
    uint8_t styles[BSP_FACE_STYLES];
    int32_t light_offset; /* bytes into lighting, -1: unlit; meaningless while that is empty */
    float area;
    int32_t lightmap_mins[2],
        lightmap_size[2];    /* luxels; the lightmap has size + 1 luxels on each axis */
    int32_t original_face;   /* -1: none; meaningless while there are no original faces */
    int32_t primitive_count; /* without the no-shadow bit */
    bool no_dynamic_shadows;
    int32_t first_primitive;
    uint32_t smoothing_groups;
};

#endif
