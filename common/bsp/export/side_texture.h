/* Internal: how the texture of a brush side lies. Sides of an IBSP do not say; what is drawn on
 * them does. */
#ifndef BSP_EXPORT_SIDE_TEXTURE_H
#define BSP_EXPORT_SIDE_TEXTURE_H

#include "common/bsp/bsp.h"
#include "common/geom/winding.h"

/* Image coordinate k of a point p is rows[k] . p + shifts[k]; the rows lie in the plane. */
struct side_texture {
    const char *shader;
    struct vec3 rows[2];
    double shifts[2];
};

/* Moves the rows into the plane; nothing changes for points on it. */
void side_texture_flatten(struct side_texture *texture, const struct plane *plane);

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

#endif
