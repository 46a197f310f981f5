/* Fills the triangles of a scene: brush sides, the faces on them, sky, displacements; grates and
 * panes among the faces. */
#ifndef VRAD_SCENE_SCENE_SOLIDS_H
#define VRAD_SCENE_SCENE_SOLIDS_H

#include "vrad/scene/scene.h"

/* Adds all triangles to scene->trace, and fills brushes, planes, triangles and has_sky.
 * `casts` has one byte per model: its solids block light (the world's always do). */
void scene_add_solids(struct scene *scene, const unsigned char *casts, const struct env *env,
                      const struct alpha_source *source);

/* Adds as veils the faces of `model` whose material lets light through and that are not the look
 * of a solid (`blocking`, one byte per face). Water is none. */
void scene_add_alpha_faces(const struct env *env, const struct alpha_source *source,
                           struct scene *scene, int model, const unsigned char *blocking);

#endif
