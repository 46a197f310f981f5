/* Internal: the lights of a map. */
#ifndef EXPORT_SCENE_LIGHTS_H
#define EXPORT_SCENE_LIGHTS_H

#include "export/scene/scene.h"
#include "render/shade/render_map.h"

/* Adds the point lights, spots and suns that the map has been lit by, or else those of its
 * entities, to the nodes of their entities, which are one per entity; those without one are nodes
 * of their own. Those of surfaces, and of the sky, are left out: a model has no such lights. */
void export_lights(const struct render *render, struct export_scene *scene);

#endif
