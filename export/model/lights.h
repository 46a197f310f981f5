/* Internal: the lights of a map. */
#ifndef EXPORT_MODEL_LIGHTS_H
#define EXPORT_MODEL_LIGHTS_H

#include "export/model/model.h"
#include "scene/scene.h"

/* Adds the point lights, spots and suns that the map has been lit by, or else those of its
 * entities, to the nodes of their entities, which are one per entity; those without one are nodes
 * of their own. Those of surfaces, and of the sky, are left out: a model has no such lights. */
void export_lights(const struct map_scene *map, struct export_model *scene);

#endif
