/* The first surfaces that rays meet, without light: for choosing views, and for pictures that
 * explain a map. */
#ifndef SCENE_VIEWS_FIRST_HIT_H
#define SCENE_VIEWS_FIRST_HIT_H

#include "scene/scene.h"

enum first_hit_kind { HIT_NOTHING, HIT_SKY, HIT_SURFACE };

struct first_hit {
    enum first_hit_kind kind;
    uint32_t triangle; /* HIT_SURFACE: of the mesh */
    double distance;
    double weights[3];         /* HIT_SURFACE: of the corners */
    struct vec3 point, normal; /* normal: of the visible side */
};

/* Finds them for the rays of `valid`, whose directions are unit vectors. Rays pass through the
 * backs of surfaces (surface_has_back), and through what is more transparent than opaque. */
void scene_first_hits(const struct map_scene *scene, bool outside,
                      const struct vec3 origins[TRACE_PACKET],
                      const struct vec3 directions[TRACE_PACKET], uint32_t valid,
                      struct first_hit hits[TRACE_PACKET]);

/* Computes the light on a surface that was hit; 255 is white. */
void scene_first_hit_light(const struct map_scene *scene, const struct first_hit *hit,
                           float out[3]);

#endif
