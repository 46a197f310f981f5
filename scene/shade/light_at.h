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

/* Returns a hit of a triangle, without what depends on the place: weights, point, distance. Its
 * normal is that of the front. */
static inline struct surface_hit surface_hit_of(const struct map_scene *scene, uint32_t number)
{
    const struct triangle *triangle = &scene->mesh.triangles[number];
    const struct surface *surface = &scene->mesh.surfaces[triangle->surface];
    return (struct surface_hit){.triangle = triangle,
                                .surface = surface,
                                .material = &scene->mesh.materials[surface->material],
                                .normal = vec3_from_floats(triangle->normal)};
}

static inline double surface_interpolated(const struct surface_hit *hit, double a, double b,
                                          double c)
{
    return hit->weights[0] * a + hit->weights[1] * b + hit->weights[2] * c;
}

/* Returns the normal that shading takes, of smooth models between those of the corners. */
struct vec3 scene_shading_normal(const struct surface_hit *hit);

/* Computes the light on the hit point; 255 is white. Reads neither distance nor cosine. */
void scene_light_at(const struct map_scene *scene, const struct surface_hit *hit, float out[3]);

/* Returns whether a light of the map reaches a surface. */
bool scene_light_reaches(const struct map_scene *scene, const struct light *light,
                         struct vec3 point, struct vec3 normal);

#endif
