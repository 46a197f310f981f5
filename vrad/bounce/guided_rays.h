/* Rays of a gather point that a guide aims. */
#ifndef VRAD_BOUNCE_GUIDED_RAYS_H
#define VRAD_BOUNCE_GUIDED_RAYS_H

#include "vrad/bounce/ray_guide.h"

/* The views of the parts of a face, each found on first use. Not thread-safe. */
struct face_guide {
    const struct ray_guide *guide; /* borrowed; NULL: there is none */
    const struct face_light *light;
    int columns, rows;        /* number of parts */
    int width, height;        /* of a part, in luxels */
    struct guide_view *views; /* columns * rows; NULL: none was asked for yet */
    struct gather_ray *ray;   /* GATHER_RAYS for each of GATHER_POINTS */
    float *weight;
};

/* Free with face_guide_free. */
void face_guide_open(const struct ray_guide *guide, const struct face_light *light,
                     struct face_guide *out);
void face_guide_free(struct face_guide *face);

/* Aims the rays of the point at a luxel, number `lane` of those that are traced together. Leaves it
 * alone where the guide knows nothing. */
void face_guide_aim(struct face_guide *face, const struct gather_table *squares, int luxel,
                    int lane, struct gather_point *point);
/* Takes what the rays of such a point have met for those that follow. */
void face_guide_learn(struct face_guide *face, const struct gather_table *table, int luxel,
                      const struct gather_point *point, const uint32_t *seen);

#endif
