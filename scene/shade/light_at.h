/* The light on a point of a triangle. */
#ifndef SCENE_SHADE_LIGHT_AT_H
#define SCENE_SHADE_LIGHT_AT_H

#include "scene/scene.h"

struct surface_hit {
    const struct triangle *triangle;
    const struct surface *surface;
    const struct scene_material *material;
    double weights[3]; /* of the corners */
    double distance, cosine;
    struct vec3 point, normal; /* of the visible side */
};

static inline double surface_interpolated(const struct surface_hit *hit, double a, double b,
                                          double c)
{
    return hit->weights[0] * a + hit->weights[1] * b + hit->weights[2] * c;
}

/* Computes the light on the hit point; 255 is white. Reads neither distance nor cosine. */
void scene_light_at(const struct map_scene *scene, const struct surface_hit *hit, float out[3]);

/* Returns whether a light of the map reaches a surface. */
bool scene_light_reaches(const struct map_scene *scene, const struct light *light,
                         struct vec3 point, struct vec3 normal);

#endif
