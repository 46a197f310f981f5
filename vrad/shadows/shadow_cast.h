/* The shadows that a lamp casts on a part of a flat face. A convex body hides from a lamp what lies
 * behind the sides that it turns to it and within the planes from the lamp through its silhouette;
 * cut with the plane of the luxels that is a convex outline. So it is known without a ray what each
 * square of the face sees. */
#ifndef VRAD_SHADOWS_SHADOW_CAST_H
#define VRAD_SHADOWS_SHADOW_CAST_H

#include "vrad/shadows/shadow_bodies.h"
#include "vrad/shadows/shadow_plane.h"

/* Starts a face, with the arrays of the last one. False when its axes span no plane. */
bool shadow_plane_start(struct shadow_plane *plane, const struct face_light *face);
void shadow_plane_free(struct shadow_plane *plane);

/* Squares of side 1 around whole luxel coordinates. */
struct shadow_cells {
    int left, top, width, height;
    float *low, *high;   /* ends of the rows' parts in the window */
    unsigned char *dark; /* one a cell */
    int *first;          /* one a cell: the entries that cross it, or -1 */
    int dark_count;
};

enum shadow_verdict {
    SHADOW_NONE,   /* all of the window sees the lamp */
    SHADOW_WHOLE,  /* nothing of it does */
    SHADOW_PARTLY, /* as the cells tell */
    SHADOW_UNKNOWN /* veils stand between, or too much */
};

/* Whether a lamp is high enough over the plane for shadows to be cast. */
bool shadow_lamp_is_high(const struct shadow_plane *plane, struct vec3 lamp);

/* What of the window the lamp sees. `most` bodies are looked at before it gives up. The cells are
 * made in the arena. */
enum shadow_verdict shadow_cast(struct shadow_plane *plane, const struct shadow_bodies *bodies,
                                struct vec3 lamp, const struct shadow_window *window, int max,
                                struct arena *arena, struct shadow_cells *cells);

/* Clears open[i], 1 or 0, where an entry of the list hides the point (s[i], t[i]). Of points on the
 * very rim of the face (`rim`) what stands along it hides nothing. */
void shadow_hide(const struct shadow_plane *plane, int first, bool rim, const float *s,
                 const float *t, int count, unsigned char *open);

static inline int shadow_cell(const struct shadow_cells *cells, const float st[2])
{
    int i = (int)floorf(st[0] + 0.5f) - cells->left, j = (int)floorf(st[1] + 0.5f) - cells->top;
    i = i < 0 ? 0 : i >= cells->width ? cells->width - 1 : i;
    j = j < 0 ? 0 : j >= cells->height ? cells->height - 1 : j;
    return j * cells->width + i;
}

#endif
