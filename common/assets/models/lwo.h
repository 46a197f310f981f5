/* Internal to the reader of LightWave objects (LWO2, LWOB): what a layer of the file has, and the
 * triangles of it. */
#ifndef ASSETS_MODELS_LWO_H
#define ASSETS_MODELS_LWO_H

#include "common/assets/models/mesh_build.h"

struct lwo_surface {
    const char *name;
    const char *texture_map; /* lwo_map.name of its image; NULL: it names none */
    double smoothing;        /* radians; 0: flat */
};

/* A range of lwo_layer.corners; of less than three corners, or with a point that is not there, a
 * polygon has none, and only its number counts. */
struct lwo_polygon {
    int32_t first, count;
    int32_t tag;   /* of its surface, from 0; -1: none */
    int32_t group; /* of smoothing */
};

enum {
    LWO_MAX_MAPS = 32 /* vertex maps of a layer; further ones are not read */
};

enum lwo_map_kind { LWO_MAP_TEXTURE, LWO_MAP_COLOUR };

struct lwo_map {
    enum lwo_map_kind kind;
    const char *name; /* equal names have one address */
};

/* Numbers of a map for a point, or for the corner of a polygon at that point. */
struct lwo_value {
    int32_t map, point, polygon; /* polygon -1: any */
    int32_t order;               /* in the file */
    float numbers[4];            /* u v, or red green blue alpha */
};

/* All stb_ds arrays. */
struct lwo_layer {
    struct vec3 *points;
    int32_t *corners; /* points */
    struct lwo_polygon *polygons;
    struct lwo_map *maps;
    struct lwo_value *values;
};

/* Appends the triangles to an stb_ds array, and counts corners without texture coordinates. Sorts
 * the values. The surfaces are those of the tags. */
void lwo_triangles(struct lwo_layer *layer, const struct lwo_surface *surfaces, size_t tags,
                   struct mesh_triangle **out, struct mesh_losses *losses);

#endif
