/* How surfaces are made of sides and patches, as the options say. */
#ifndef VBSP_QUAKE3_SURFACES_SURFACE_OPTIONS_H
#define VBSP_QUAKE3_SURFACES_SURFACE_OPTIONS_H

#include <stdbool.h>

struct surface_options {
    bool no_curves;                /* drop patches */
    bool flares;                   /* write the flares of shaders and lights */
    bool no_meta;                  /* do not merge surfaces */
    bool patch_meta;               /* patches are drawn as triangles */
    bool no_tessellation;          /* surfaces are not cut by q3map_tessSize */
    bool max_area;                 /* polygons are cut into the largest triangles first */
    double subdivisions;           /* maximum deviation from the curve in units; 0: 8 */
    int max_vertices, max_indices; /* per surface; 0: the engine's limit */
    double shade_angle;            /* default smoothing angle in degrees; 0: flat */
};

#endif
