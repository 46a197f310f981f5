/* The grates and panes among the faces of a map. */
#ifndef VRAD_SCENE_SCENE_VEILS_H
#define VRAD_SCENE_SCENE_VEILS_H

#include "vrad/scene/scene.h"

/* Adds as veils the faces of `model` whose material lets light through and that are not the look
 * of a solid (`blocking`, one byte a face). Water is none. */
void scene_add_veils(const struct env *env, const struct veil_source *source, struct scene *scene,
                     int model, const unsigned char *blocking);

#endif
