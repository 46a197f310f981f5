/* Where the light of dark places comes from: a doorway, a window, the lit end of a corridor.
 *
 * Of the transport rays of all points those are kept that met far more light than the others of
 * their point. A point of the final gather aims a part of its rays at what such rays met from
 * places that it sees, as path guiding does (Vorba et al. 2014, here without learning): a place
 * that few of its own rays would hit by chance then has as many as it takes. Rays are weighted by
 * their density, so the guide changes noise alone, never the mean. */
#ifndef VRAD_BOUNCE_RAY_GUIDE_H
#define VRAD_BOUNCE_RAY_GUIDE_H

#include "common/env.h"
#include "vrad/bounce/bounce_solve.h"

/* The end of a ray, and the irradiance that it gives to a point at distance 1 that faces it. */
struct guide_hit {
    float place[3];
    float power;
};

/* The transport points of a face, and the bright hits of each in order. */
struct guide_face {
    unsigned char *counts; /* of hits, one per transport point; NULL: the face has none */
    struct guide_hit *hits;
    int hit_count;
};

/* A transport point with bright hits. */
struct guide_point {
    uint64_t cell; /* of a grid over the map */
    float position[3];
    const struct guide_hit *hits;
    int hit_count;
};

struct ray_guide {
    const struct transport_rays *transport; /* borrowed */
    struct guide_face *faces;               /* one per face */
    struct guide_hit *all;                  /* hits of all faces, in order */
    struct guide_point *points;             /* by cell */
    size_t point_count;
};

/* From solved transport rays. Free with ray_guide_free. */
void ray_guide_build(const struct env *env, const struct transport_rays *transport,
                     struct ray_guide *out);
void ray_guide_free(struct ray_guide *guide);

/* Points of the guide that the points of a part of a face see; and points of the part itself that
 * have gathered, the last of them. */
enum { GUIDE_VIEWS = 64, GUIDE_LEARNT = 48 };
struct guide_view {
    bool built;
    int count, learnt; /* points, those that were learnt */
    int aimed, wide; /* gather points that were guided, and those whose light is too wide for it */
    const struct guide_point *points[GUIDE_VIEWS];
    struct guide_point *learnt_points; /* GUIDE_LEARNT, each with room for hits; NULL: none */
    struct guide_hit *learnt_hits;
};

/* The points around a gather point that it sees. */
void guide_view_from(const struct ray_guide *guide, const struct gather_point *point,
                     struct guide_view *out);
/* Adds what the rays of a point have met. */
void guide_view_learn(const struct ray_guide *guide, const struct gather_table *table,
                      const struct gather_point *point, const uint32_t *seen,
                      struct guide_view *view);
void guide_view_free(struct guide_view *view);

#endif
