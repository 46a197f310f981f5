/* Windings: convex polygons, clockwise when seen from the front of their plane (as in BSP files).
 * They live in an arena and are immutable. */
#ifndef GEOM_WINDING_H
#define GEOM_WINDING_H

#include "common/core/arena.h"
#include "common/geom/plane.h"

struct winding {
    int count;
    struct vec3 points[];
};

enum winding_side { WINDING_FRONT, WINDING_BACK, WINDING_ON, WINDING_CROSS };

struct winding *winding_new(struct arena *arena, int count, const struct vec3 *points);
struct winding *winding_copy(struct arena *arena, const struct winding *winding);
struct winding *winding_reverse(struct arena *arena, const struct winding *winding);

/* Returns a square on the plane that extends past the world on all sides. */
struct winding *winding_from_plane(struct arena *arena, const struct plane *plane);

/* Returns the side of a convex solid on the plane `own` of its `count` planes, which face outwards:
 * the part behind all others, or NULL. Epsilon is that of winding_clip_behind. */
struct winding *winding_of_side(struct arena *arena, const struct plane *planes, size_t count,
                                size_t own, double epsilon);

/* Cuts a winding by a plane. Points within `epsilon` of it belong to both sides and do not cut. A
 * side without a part is NULL; a part that is the whole is the same pointer. A winding within
 * epsilon of the plane as a whole goes to neither side (both NULL). front or back may be NULL. */
void winding_clip(struct arena *arena, const struct winding *winding, const struct plane *plane,
                  double epsilon, struct winding **front, struct winding **back);

/* Returns the part of that side of the plane, 0 the front and 1 the back, or NULL. */
struct winding *winding_clip_side(struct arena *arena, const struct winding *winding,
                                  const struct plane *plane, double epsilon, int side);

/* Returns the part behind the plane (inside a brush whose side it is), or NULL. A winding on the
 * plane is kept. */
struct winding *winding_clip_behind(struct arena *arena, struct winding *winding,
                                    const struct plane *plane, double epsilon);

/* Releases the arena to the mark, except for this winding, which is moved there; returns its new
 * address. For the intermediate windings of a series of cuts. NULL stays NULL. */
struct winding *winding_keep(struct arena *arena, struct arena_mark mark,
                             const struct winding *winding);

enum winding_side winding_classify(const struct winding *winding, const struct plane *plane,
                                   double epsilon);
double winding_area(const struct winding *winding);
struct vec3 winding_center(const struct winding *winding); /* mean of the points */
struct bounds winding_bounds(const struct winding *winding);
bool winding_plane(const struct winding *winding, struct plane *out); /* false: no area */

/* Number of edges longer than that. */
int winding_count_edges(const struct winding *winding, double longer_than);
/* Returns true with fewer than three edges longer than EPSILON_EDGE. */
bool winding_is_tiny(const struct winding *winding);
/* Returns true when a point is beyond the limit along an axis: the winding was not bounded by its
 * brush. */
bool winding_is_beyond(const struct winding *winding, double limit);
/* Returns true if a winding of the plane reaches the edge of the square that it began as: its plane
 * may go on there. */
bool winding_is_cut_short(const struct winding *winding, const struct plane *plane);
/* winding_is_beyond with the limit of Source's world. */
bool winding_is_huge(const struct winding *winding);
/* Removes points within `epsilon` of the line between their neighbours. */
struct winding *winding_drop_colinear(struct arena *arena, const struct winding *winding,
                                      double epsilon);

#endif
