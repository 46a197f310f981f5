/* Internal to quake3/meta: grows triangles of one class into parts, which become surfaces. */
#ifndef VBSP_QUAKE3_META_META_GROW_H
#define VBSP_QUAKE3_META_META_GROW_H

#include "vbsp/target/quake3/surfaces/surface.h"

struct meta_triangle {
    size_t surface; /* index of its surface */
    int corners[3]; /* vertex numbers in it */
    size_t order;   /* among all */

    /* Its class. */
    int rank;           /* equal for surfaces that may be merged */
    bool flat;          /* on the plane; otherwise facing the side */
    int side;           /* 0 to 5 */
    long long plane[4]; /* rounded */
};

struct meta_growth {
    int vertices, indices; /* limits of a part */
    double reach;          /* maximum extent of a part of two or more triangles along an axis */
    double sample_size; /* units per luxel; 0: none, and parts in one neighbourhood may be merged */
    bool flat;          /* disconnected parts may be merged if that needs no more luxels */
    bool connected;     /* disconnected parts are not merged */
};

struct meta_part {
    const struct meta_triangle **triangles; /* stb_ds array; the first is the first of all */
    struct draw_vertex *vertices;           /* stb_ds array */
    int *indices;                           /* stb_ds array */
    size_t order;                           /* of the first triangle */
};

/* Appends parts that contain each triangle (in order) once. Vertices with equal position, normal,
 * texture coordinates and colour, up to rounding, are merged. */
void meta_grow(const struct draw_surface *surfaces, const struct meta_triangle *triangles,
               size_t count, const struct meta_growth *growth, struct meta_part **parts);

#endif
