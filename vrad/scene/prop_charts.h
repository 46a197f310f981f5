/* The surfaces of static props that reflect light, as charts: grids of luxels on the triangles that
 * occlude. A large triangle has a chart of its own; small ones of a prop that lie together and face
 * the same way share one of a single luxel.
 *
 * A ray hits chart i as face `faces + i`, behind the faces of the BSP. */
#ifndef VRAD_SCENE_PROP_CHARTS_H
#define VRAD_SCENE_PROP_CHARTS_H

#include "common/geom/vec.h"
#include "vrad/scene/scene_triangle.h"

enum { PROP_LUXEL_SAMPLES = 4 };

/* Points where the light of a luxel is sampled: on the surface, with its unit normal there. */
struct prop_luxel {
    int prop, samples; /* 1 .. PROP_LUXEL_SAMPLES */
    float position[PROP_LUXEL_SAMPLES][3], normal[PROP_LUXEL_SAMPLES][3];
    float reflectivity[3];
};

struct prop_chart {
    uint32_t first; /* of its luxels, row by row */
    int16_t width, height;
};

/* Zero-initialised: props are black. */
struct prop_charts {
    int faces;                       /* of the BSP */
    struct scene_triangle *surfaces; /* stb_ds array: of each occluding triangle of a prop */
    struct prop_chart *charts;       /* stb_ds array */
    struct prop_luxel *luxels;       /* stb_ds array */
};

struct scene;

/* Makes charts of scene->prop_triangles with `reflectivity`, three numbers for each. */
void prop_charts_make(struct scene *scene, const float (*reflectivity)[3], struct prop_charts *out);
void prop_charts_free(struct prop_charts *charts);

#endif
