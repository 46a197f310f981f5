/* Volumes of fog of a Quake 3 map: brushes whose shader has "fogparms". As in the engine, fog is
 * not what is between the eye and a surface, but belongs to the surfaces that the compiler found in
 * a volume: what is seen through a volume is not in fog. */
#ifndef SCENE_LIGHT_FOG_H
#define SCENE_LIGHT_FOG_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

struct fog_volume {
    bool present;     /* its shader has parameters, and its brush a box */
    double colour[3]; /* of the screen, 0 .. 1 */
    double distance;  /* where it hides all, in units */
    double mins[3], maxs[3];
    bool has_top;      /* it ends at a plane, through which one looks in */
    struct vec3 top;   /* normal of that plane, away from the fog */
    double top_height; /* the plane's distance along it */
};

/* Returns one volume for each effect of the map: an stb_ds array. */
struct fog_volume *scene_fog_volumes(const struct bsp *bsp, struct assets *assets);

/* How far the way from the eye to a vertex is in the fog, as a coordinate of which the engine
 * interpolates that of a point of a triangle: 0 .. 1. */
double fog_part(const struct fog_volume *fog, struct vec3 eye, struct vec3 vertex);

/* The share that fog hides of a point, 0 .. 1; `depth` is along the view's axis. */
float fog_share(const struct fog_volume *fog, double depth, double part);

#endif
