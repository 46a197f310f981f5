/* Fills the triangles of a scene: brush sides and the faces on them, sky, displacements, and alpha
 * triangles. */
#ifndef VRAD_SCENE_SCENE_SOLIDS_H
#define VRAD_SCENE_SCENE_SOLIDS_H

#include "vrad/scene/scene.h"

/* Adds all triangles to scene->trace, and fills brushes, planes, triangles and has_sky. `casts` has
 * one byte per model: its solids cast shadows (the world's always do). */
void scene_add_solids(struct scene *scene, const unsigned char *casts, const struct env *env,
                      const struct alpha_source *source);

#endif
