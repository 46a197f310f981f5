/* Materials by the area of the surfaces that are drawn with them. */
#ifndef REPORT_FACTS_MATERIAL_AREAS_H
#define REPORT_FACTS_MATERIAL_AREAS_H

#include "common/core/arena.h"
#include "render/render.h"

struct material_area {
    const char *name;
    double area; /* square units */
    size_t surfaces;
};

/* Returns the area of a triangle, of nine numbers. */
double triangle_area(const float corners[9]);

/* Returns the name of the material of a surface, in the arena or the map; NULL of props. */
const char *surface_material(const struct render *render, const struct surface *surface,
                             struct arena *arena);

/* Returns an stb_ds array, the largest area first, without props. */
struct material_area *material_areas_of(const struct render *render, struct arena *arena);

#endif
