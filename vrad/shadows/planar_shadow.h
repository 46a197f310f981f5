/* The shadows that a lamp casts on a part of a flat face. A convex body hides from a lamp what lies
 * behind the sides that it turns to it and within the planes from the lamp through its silhouette;
 * cut with the plane of the luxels that is a convex outline. So it is known without a ray what each
 * square of the face sees. */
#ifndef VRAD_SHADOWS_PLANAR_SHADOW_H
#define VRAD_SHADOWS_PLANAR_SHADOW_H

#include "vrad/shadows/occluders.h"
#include "vrad/shadows/shadow_plane.h"

/* Starts a face, with the arrays of the last one. False when its axes span no plane. */
bool shadow_plane_start(struct shadow_plane *plane, const struct face_light *face);
void shadow_plane_free(struct shadow_plane *plane);

/* Squares of side 1 around whole luxel coordinates. */
struct planar_shadow_cells {
    int left, top, width, height;
    float *low, *high;    /* ends of the rows' parts in the window */
    unsigned char *umbra; /* one per cell */
    int *first;           /* one per cell: the entries that cross it, or -1 */
    int umbra_count;
};

enum planar_shadow {
    PLANAR_SHADOW_NONE,    /* all of the window sees the lamp */
    PLANAR_SHADOW_UMBRA,   /* nothing of it does */
    PLANAR_SHADOW_PARTIAL, /* as the cells tell */
    PLANAR_SHADOW_UNKNOWN  /* veils stand between, or too much */
};

/* Whether a lamp is high enough over the plane for shadows to be cast. */
bool planar_shadow_light_is_high(const struct shadow_plane *plane, struct vec3 light);

/* What of the window the lamp sees. `most` bodies are looked at before it gives up. The cells are
 * made in the arena. */
enum planar_shadow planar_shadow_project(struct shadow_plane *plane,
                                         const struct occluders *occluders, struct vec3 light,
                                         const struct shadow_window *window, int max,
                                         struct arena *arena, struct planar_shadow_cells *cells);

/* Clears open[i], 1 or 0, where an entry of the list hides the point (s[i], t[i]). Of points on the
 * very rim of the face (`rim`) what stands along it hides nothing. */
void planar_shadow_hide(const struct shadow_plane *plane, int first, bool border, const float *s,
                        const float *t, int count, unsigned char *open);

static inline int planar_shadow_cell_at(const struct planar_shadow_cells *cells, const float st[2])
{
    int i = (int)floorf(st[0] + 0.5f) - cells->left, j = (int)floorf(st[1] + 0.5f) - cells->top;
    i = i < 0 ? 0 : i >= cells->width ? cells->width - 1 : i;
    j = j < 0 ? 0 : j >= cells->height ? cells->height - 1 : j;
    return j * cells->width + i;
}

#endif
