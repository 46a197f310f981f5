/* Internal to the luxel map: positions of the luxels of a face. */
#ifndef VRAD_LUXELS_LUXEL_PLACE_H
#define VRAD_LUXELS_LUXEL_PLACE_H

#include "vrad/luxels/luxel.h"

struct luxel_layout {
    const struct scene *scene;
    struct luxel_map *map;
    int *first_leaf;     /* one per face, and one past: into `leaves` */
    int *leaves;         /* the leaves that list each face */
    double border_inset; /* border points are moved this far into the face, in units */
};

/* Fills the luxels of a face whose other fields are set, and its area. `clusters` gets that of each
 * luxel; -1: none. */
void luxel_place_face(const struct luxel_layout *layout, struct face_light *face, int *clusters);

/* Sets all that luxel_place_face sets of a flat face besides its luxels and area. */
void luxel_measure_face(struct face_light *face);

#endif
