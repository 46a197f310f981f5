/* Planar shadow projection: the shadows of a light on a part of a flat face. The shadow
 * volume of a convex occluder is bounded by the sides that face the light and by the planes through
 * the light and its silhouette edges; its intersection with the plane of the luxels is a convex
 * outline. So visibility is known for each luxel without a ray. */
#ifndef VRAD_SHADOWS_PLANAR_SHADOW_H
#define VRAD_SHADOWS_PLANAR_SHADOW_H

#include "vrad/shadows/occluders.h"
#include "vrad/shadows/shadow_plane.h"

/* Starts a face; reuses the arrays of the last one. False when its axes span no plane. */
bool shadow_plane_start(struct shadow_plane *plane, const struct face_light *face);
void shadow_plane_free(struct shadow_plane *plane);

/* Squares of side 1 around whole luxel coordinates. */
struct planar_shadow_cells {
    int left, top, width, height;
    float *low, *high;    /* extents of the rows in the window */
    unsigned char *umbra; /* one per cell: all of it is in an umbra */
    int *first;           /* one per cell: the first entry that crosses it, or -1 */
    int umbra_count;
};

enum planar_shadow {
    PLANAR_SHADOW_NONE,    /* all of the window sees the light */
    PLANAR_SHADOW_UMBRA,   /* all of the window is in an umbra */
    PLANAR_SHADOW_PARTIAL, /* by the cells */
    PLANAR_SHADOW_UNKNOWN  /* alpha shadows or too many occluders */
};

/* Returns true if the light is high enough over the plane for a projection. */
bool planar_shadow_light_is_high(const struct shadow_plane *plane, struct vec3 light);

/* Projects the occluders between the light and the window, at most `max`. The cells are allocated
 * in the arena. */
enum planar_shadow planar_shadow_project(struct shadow_plane *plane,
                                         const struct occluders *occluders, struct vec3 light,
                                         const struct shadow_window *window, int max,
                                         struct arena *arena, struct planar_shadow_cells *cells);

/* How an occluder changes the rays that go by it. */
enum occluder_role {
    ROLE_NONE,  /* nothing: no ray comes to it */
    ROLE_EDGES, /* may stop rays: those that pass on both sides of its outline differ */
    ROLE_WHOLE, /* stops them all */
    ROLE_HOLES, /* stops some: any two that meet it may differ */
};

/* Where rays to a light have to be traced: what lies in their way. */
struct shadow_marking {
    const struct occluders *occluders;
    const struct occluder_shaft *shaft; /* from the window to a sun; NULL: to a local light */
    struct vec3 light;                  /* of a sun: the direction towards its middle */
    bool sun;
    struct shadow_window window;
    int max; /* occluders */
    /* NULL: by the occluder alone. */
    enum occluder_role (*role)(void *context, int occluder);
    void *context;
};

/* Marks the cells that the outline of an occluder crosses: `first` is not -1 there, and means
 * nothing else; `umbra` where one hides all of the cell. PLANAR_SHADOW_UNKNOWN: too many occluders.
 */
enum planar_shadow planar_shadow_mark(struct shadow_plane *plane,
                                      const struct shadow_marking *marking, struct arena *arena,
                                      struct planar_shadow_cells *cells);

/* Clears open[i] (1 or 0) where an entry of the list hides the point (s[i], t[i]). Points on the
 * border of the face (`border`) are not hidden by what stands along it. */
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
