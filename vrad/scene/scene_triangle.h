/* Triangles with luxel coordinates, and ray hits on them. */
#ifndef VRAD_SCENE_SCENE_TRIANGLE_H
#define VRAD_SCENE_SCENE_TRIANGLE_H

#include <string.h>

#include "common/trace/trace.h"

enum { SCENE_BLANK = -1, SCENE_SKY = -2 };

/* Maps hits to luxel coordinates. */
struct scene_triangle {
    int face;           /* of the BSP; SCENE_BLANK: a side without a face, black */
    float s, t;         /* luxel coordinates of its first corner */
    float ds[2], dt[2]; /* gradients by u and v */
    float normal[3];    /* outwards */
};

/* A ray hit. */
struct scene_hit {
    int face;       /* of the BSP; SCENE_BLANK: something without light; SCENE_SKY */
    float s, t;     /* luxel coordinates on the face (luxel 0, 0 is centred on 0, 0) */
    float distance; /* in lengths of the direction; INFINITY when the ray hit nothing (sky) */
};

/* `st` are luxel coordinates of its corners, or NULL. */
static inline struct scene_triangle scene_triangle_of(int face, const float (*st)[2],
                                                      const float normal[3])
{
    struct scene_triangle triangle = {.face = face};
    if (st) {
        triangle.s = st[0][0];
        triangle.t = st[0][1];
        for (int i = 0; i < 2; i++) {
            triangle.ds[i] = st[i + 1][0] - st[0][0];
            triangle.dt[i] = st[i + 1][1] - st[0][1];
        }
    }
    memcpy(triangle.normal, normal, sizeof triangle.normal);
    return triangle;
}

/* The hit of a ray of the packet on the triangle; `back` is the face of its back side. */
static inline struct scene_hit scene_triangle_hit(const struct scene_triangle *triangle,
                                                  const struct trace_packet *packet, int lane,
                                                  const struct trace_hit *hit, int back)
{
    float towards = 0;
    for (int k = 0; k < 3; k++)
        towards += triangle->normal[k] * packet->direction[k][lane];
    return (struct scene_hit){
        .face = towards < 0 ? triangle->face : back,
        .s = triangle->s + hit->u * triangle->ds[0] + hit->v * triangle->ds[1],
        .t = triangle->t + hit->u * triangle->dt[0] + hit->v * triangle->dt[1],
        .distance = hit->distance,
    };
}

#endif
