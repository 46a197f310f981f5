/* The light on a point of a triangle. */
#ifndef RENDER_SHADE_LIGHT_AT_H
#define RENDER_SHADE_LIGHT_AT_H

#include "render/shade/render_map.h"

struct surface_hit {
    const struct triangle *triangle;
    const struct surface *surface;
    const struct render_material *material;
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
void render_light_at(const struct render *render, const struct surface_hit *hit, float out[3]);

/* Returns whether a light of the map reaches a surface. */
bool render_light_reaches(const struct render *render, const struct light *light, struct vec3 point,
                          struct vec3 normal);

#endif
