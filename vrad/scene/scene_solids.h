/* Fills the triangles of a scene: brush sides and the faces on them, sky, displacements, and alpha
 * triangles. */
#ifndef VRAD_SCENE_SCENE_SOLIDS_H
#define VRAD_SCENE_SCENE_SOLIDS_H

#include "vrad/scene/scene.h"

/* Adds all triangles to scene->trace, and fills brushes, planes, triangles and has_sky. `casts` has
 * one byte per model: its solids cast shadows (the world's always do). */
void scene_add_solids(struct scene *scene, const unsigned char *casts, const struct env *env,
                      const struct alpha_source *source);

/* Adds the faces of `model` with a partly transparent material that lie on no occluding brush
 * (`blocking`, one byte per face) as alpha triangles. Water is not included. */
void scene_add_alpha_faces(const struct env *env, const struct alpha_source *source,
                           struct scene *scene, int model, const unsigned char *blocking);

#endif
