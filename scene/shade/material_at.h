/* The colour of a point of a surface: its material in its light, as it is drawn over what is
 * behind. */
#ifndef SCENE_SHADE_MATERIAL_AT_H
#define SCENE_SHADE_MATERIAL_AT_H

#include "common/bsp/engine.h"
#include "scene/shade/light_at.h"

/* How a point is looked at. */
struct surface_view {
    double width;          /* of the sample, across the ray */
    struct vec3 direction; /* of the ray, unit */
    struct layer_fog fog;  /* that the point is in */
};

/* Returns whether colours are blended by their brightness on the screen, as games do whose
 * materials are shaders, or else by their light. */
static inline bool scene_blends_on_screen(const struct map_scene *scene)
{
    return scene->bsp->engine->has_shaders;
}

/* Returns the corners of a triangle: nine numbers. */
const float *scene_corners(const struct map_scene *scene, const struct triangle *triangle);

/* Computes what a point adds to what is behind it, and the share that it keeps of that: brightness
 * on the screen, 1 being white, where scene_blends_on_screen, else light, 255 being white. Does not
 * read the distance. */
void scene_material_at(const struct map_scene *scene, const struct surface_hit *hit,
                       const struct surface_view *view, struct blended *out);

#endif
