/* The outline of a texture light's patch, and its light without occluders: exact for near points,
 * and from its second moments for farther ones. Very far away a patch is a point. */
#ifndef VRAD_LIGHTS_PATCH_SHAPE_H
#define VRAD_LIGHTS_PATCH_SHAPE_H

#include "common/core/arena.h"
#include "common/geom/vec.h"

struct light;
struct light_rows;

/* Maximum number of corners of a shape. */
enum { PATCH_CORNERS = 32 };

struct patch_shape {
    double area;
    double reach;        /* distance from its middle to its farthest corner */
    struct vec3 side[2]; /* half the sides of the rectangle with the same second moments */
    int count;
    struct vec3 corners[];
};

/* The shape around `middle`, its centroid; an outline with too many corners becomes that rectangle.
 * NULL when it has no area. */
struct patch_shape *patch_shape_new(struct arena *arena, const struct vec3 *corners, int count,
                                    struct vec3 middle, struct vec3 normal, double area);

/* Returns true if a point at that distance from the middle takes the exact light of the shape. */
bool patch_is_near(const struct patch_shape *shape, double distance);
/* The end of that range. */
double patch_near(const struct patch_shape *shape);

/* light_at and light_at_batch for a light with a shape. The batch has been evaluated as of a point.
 * The distances are those to a plane a bit before the patch, where rays to it end. */
double patch_light_at(const struct light *light, struct vec3 point, struct vec3 *direction,
                      double *distance);
void patch_light_batch(const struct light *light, const struct light_rows *rows);

#endif
