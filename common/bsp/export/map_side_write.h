/* The text of brush sides and patches in a .map, in each of its forms. */
#ifndef BSP_EXPORT_MAP_SIDE_WRITE_H
#define BSP_EXPORT_MAP_SIDE_WRITE_H

#include "common/bsp/export/map_export.h"
#include "common/bsp/export/side_texture.h"
#include "common/core/bytes.h"

struct map_side_text {
    enum map_form form;
    const char *shader;
    struct plane plane;
    const struct winding *winding; /* or NULL */
    const struct vec3 *points;     /* three of the plane to write as they are; NULL: any */
    struct vec3 origin;            /* added to the plane, the winding and the texture */
    bool has_texture;              /* otherwise it lies as by default */
    struct side_texture texture;
    int image[2]; /* size in texels */
    int contents;
};

/* Appends a line. Returns false when the form cannot express how the texture lies, and does so as
 * well as it can. */
bool map_side_write(const struct map_side_text *side, struct bytes *out);

struct map_control_point {
    struct vec3 p;
    double texture[2]; /* in images */
};

/* Appends "patchDef2 { ... }" of control points [row * columns + column]. */
void map_patch_write(const char *shader, int columns, int rows,
                     const struct map_control_point *points, struct bytes *out);

#endif
