/* Finds seams: edges where two faces meet smoothly: coplanar or smoothed faces, and
 * displacements. */
#ifndef VRAD_ENCODE_SEAM_PAIRS_H
#define VRAD_ENCODE_SEAM_PAIRS_H

#include "vrad/luxels/luxel.h"

/* Two faces that share a part of an edge. */
struct seam {
    int face[2];
    struct point2 inward[2]; /* in luxel coordinates: one luxel from the edge into the face */
    bool bumps;              /* both are bumped, in the same directions */
};

/* A point on a seam. */
struct seam_point {
    int seam;
    float st[2][2]; /* its luxel coordinates in either face */
};

struct seam_list {
    struct seam *seams; /* stb_ds arrays; points in the order of their seams */
    struct seam_point *points;
};

/* Finds the seams between faces of the same model with the same normals there, and points on them
 * at most a luxel apart. There are no points where something stands on the edge, or hangs low over
 * it, since light may differ on its two sides. Free with seam_list_free. */
void seam_list_build(const struct env *env, const struct luxel_map *map, struct seam_list *out);
void seam_list_free(struct seam_list *list);

#endif
