/* From a face over its seams to the faces in which its surface goes on.
 *
 * Luxel coordinates beyond an edge of a face are those of a point of its plane. Where the surface
 * goes on behind the edge, smoothly, that point is unfolded onto the plane of the next face. */
#ifndef VRAD_ENCODE_SEAM_WALK_H
#define VRAD_ENCODE_SEAM_WALK_H

#include "vrad/encode/seam_pairs.h"

/* A side of a seam point. */
struct seam_end {
    int point, side;
};

/* The seam points of each face. */
struct seam_walk {
    const struct luxel_map *map;
    const struct seam_list *list;
    size_t *first; /* one per face, and one past: into `ends` */
    struct seam_end *ends;
};

/* Borrows both. Free with seam_walk_free. */
void seam_walk_init(const struct luxel_map *map, const struct seam_list *list,
                    struct seam_walk *out);
void seam_walk_free(struct seam_walk *walk);

/* An affine map between the luxel coordinates of two flat faces. */
struct luxel_affine {
    struct point2 from, to;      /* the same point in both */
    struct point2 across, along; /* where steps of one luxel in s and t lead */
};

static inline struct point2 luxel_affine_at(const struct luxel_affine *affine, struct point2 at)
{
    double s = at.s - affine->from.s, t = at.t - affine->from.t;
    return (struct point2){affine->to.s + affine->across.s * s + affine->along.s * t,
                           affine->to.t + affine->across.t * s + affine->along.t * t};
}

/* How luxel coordinates of the face at the end of a seam point become those of the other face,
 * unfolded. Both faces are flat. */
struct luxel_affine seam_unfold(const struct seam_walk *walk, struct seam_end end);

/* Where a walk leads to. */
struct seam_place {
    int face;
    struct point2 at;
    bool bumps; /* the directions of bumped light are the same on the way */
};

/* Follows the surface of `face` to luxel coordinates. Returns false when it ends before. */
bool seam_walk_to(const struct seam_walk *walk, int face, struct point2 at, struct seam_place *out);

#endif
