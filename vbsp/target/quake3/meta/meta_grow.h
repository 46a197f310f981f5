/* Inside quake3/meta: triangles of one class grown together to parts that are surfaces to be. */
#ifndef VBSP_QUAKE3_META_META_GROW_H
#define VBSP_QUAKE3_META_META_GROW_H

#include "vbsp/target/quake3/surfaces/surface.h"

struct meta_triangle {
    size_t surface; /* that it is of */
    int corners[3]; /* of its vertices */
    size_t order;   /* among all */

    /* Its class. */
    int rank;           /* of surfaces that may be one */
    bool flat;          /* on the plane; else on the side */
    int side;           /* 0 to 5 */
    long long plane[4]; /* rounded */
};

struct meta_growth {
    int vertices, indices; /* the most of a part */
    double reach;       /* the most that a part of two triangles or more measures along an axis */
    double sample_size; /* units a luxel; 0: none, parts of one neighbourhood may be one */
    bool flat;          /* parts that lie apart may be one where that needs no more luxels */
};

struct meta_part {
    const struct meta_triangle **triangles; /* stb_ds array; the first is the first of all */
    struct draw_vertex *vertices;           /* stb_ds array */
    int *indices;                           /* stb_ds array */
    size_t order;                           /* of the first triangle */
};

/* Appends parts that hold each of the triangles (which are in order) once. Vertices that are the
 * same in place, normal, texture and colour, but for rounding, are one. */
void meta_grow(const struct draw_surface *surfaces, const struct meta_triangle *triangles,
               size_t count, const struct meta_growth *growth, struct meta_part **parts);

/* Makes parts from `begin` on one, as growth lets them, though they do not touch. */
void meta_gather(const struct meta_growth *growth, struct meta_part **parts, size_t begin);

#endif
