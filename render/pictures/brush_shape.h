/* The shape of a brush of a BSP, for marks in pictures. */
#ifndef RENDER_PICTURES_BRUSH_SHAPE_H
#define RENDER_PICTURES_BRUSH_SHAPE_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/geom/winding.h"

struct brush_shape {
    struct plane *planes;
    struct winding **sides; /* one per plane; NULL: a bevel */
    int count;
};

/* In the arena. A number out of range gives an empty shape. */
struct brush_shape brush_shape_of(const struct bsp *bsp, int brush, struct arena *arena);

/* Returns where a ray enters the brush, or -1. */
double brush_shape_entry(const struct brush_shape *shape, struct vec3 origin,
                         struct vec3 direction);

#endif
