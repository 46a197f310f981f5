/* The points at which surface lights are evaluated: see struct surface_model. Visibility is always
 * that of the samples themselves, so shadows keep their edges. */
#ifndef VRAD_DIRECT_SURFACE_POINTS_H
#define VRAD_DIRECT_SURFACE_POINTS_H

#include "vrad/direct/face_samples.h"

/* Returns true if the light is evaluated at such points. */
static inline bool takes_surface_points(const struct receiver *to, const struct light *light)
{
    return light->type == WORLDLIGHT_SURFACE && surface_model_moves(to->options->surfaces);
}

/* Fills the points of the samples of a face for far lights, or for near ones; once per face. */
void surface_points_of_face(const struct receiver *to, struct face_samples *points, bool far);

/* The layouts of rows. */
enum row_layout {
    ROWS_COARSE, /* LUXEL_COARSE per luxel */
    ROWS_MIDDLE, /* one per luxel, for far lights */
    ROWS_FINE,   /* all of one luxel */
};

/* Lets the light be evaluated at such points of the first `count` rows if it takes them, else at
 * the samples. `luxel`: of fine rows. */
void surface_points_choose(const struct receiver *to, const struct light *light,
                           struct sample_rows *rows, enum row_layout layout, int luxel, int count);

#endif
