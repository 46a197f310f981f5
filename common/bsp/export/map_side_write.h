/* The text of brush sides and patches in a .map, in each of its forms. */
#ifndef BSP_EXPORT_MAP_SIDE_WRITE_H
#define BSP_EXPORT_MAP_SIDE_WRITE_H

#include "common/bsp/bsp.h"
#include "common/bsp/export/map_export.h"
#include "common/core/bytes.h"
#include "common/geom/winding.h"

/* How the texture of a brush side lies. Sides of an IBSP do not say; what is drawn on
 * them does. */

/* Image coordinate k of a point p is rows[k] . p + shifts[k]; the rows lie in the plane. */
struct side_texture {
    const char *shader;
    struct vec3 rows[2];
    double shifts[2];
};

/* The triangles drawn by a model. */
struct drawn_triangles;

/* `names` are those of the shaders, which must live as long. */
struct drawn_triangles *drawn_triangles_new(const struct bsp *bsp, const struct bsp_model *model,
                                            const char *const *names);
void drawn_triangles_free(struct drawn_triangles *drawn);

/* Finds the texture of a side from the triangle that covers most of it, and notes which triangles
 * are on it. Those with the shader of the side count before others. Returns false when there are
 * none. */
bool drawn_texture(struct drawn_triangles *drawn, struct arena *arena, const char *shader,
                   const struct plane *plane, const struct winding *winding,
                   struct side_texture *out);

/* Number of triangles that were on no side. */
size_t drawn_loose(const struct drawn_triangles *drawn);

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
