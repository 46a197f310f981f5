/* Luxels: the samples of the lightmaps, their positions, and their light.
 *
 * Luxel (s, t) of a face is the square of side 1 around (s, t) in luxel coordinates (lightmap
 * coordinates minus the face's mins). Its light is the mean over the part of that square that lies
 * on the face and not inside another solid. Where there is no such part (border luxels), it is the
 * light at the nearest point of the face, as texture filtering needs it.
 *
 * Light is linear, 255 is white; floats, red green blue. */
#ifndef VRAD_LUXELS_LUXEL_H
#define VRAD_LUXELS_LUXEL_H

#include <stdbool.h>

#include "common/bsp/bsp.h"
#include "common/env.h"
#include "common/geom/vec.h"
#include "vrad/luxels/prop_radiosity.h"
#include "vrad/scene/disp_mesh.h"
#include "vrad/scene/normals.h"
#include "vrad/scene/scene.h"

/* Convex polygons in luxel coordinates, and their intersection with luxels. */

/* Capacity for the intersection of a luxel's square with a polygon of at most SHAPE_POINTS - 8
 * corners. */
enum { SHAPE_POINTS = 68 };

struct point2 {
    double s, t;
};

/* Clips the polygon to the square of side 1 around (s, t); out has room for SHAPE_POINTS. Returns
 * the number of points: 0 when nothing is left. */
int shape_clip(const struct point2 *polygon, int count, double s, double t, struct point2 *out);

double shape_area(const struct point2 *polygon, int count);

/* Returns true if the polygon has an area, which lies to the left of its edges. */
bool shape_turns_left(const struct point2 *polygon, int count);

/* The centroid; the mean of the points when there is no area. */
struct point2 shape_center(const struct point2 *polygon, int count);

/* The point of the polygon, including its inside, nearest to (s, t). */
struct point2 shape_nearest(const struct point2 *polygon, int count, double s, double t);

/* Returns true if the sides are axis-aligned, to rounding, and the corners between which they
 * run. */
bool shape_is_box(const struct point2 *polygon, int count, struct point2 *low, struct point2 *high);

/* The middle and length of the overlap of luxel `at` with an interval. */
static inline double shape_cut_line(double low, double high, int at, double *middle)
{
    double from = at - 0.5, to = at + 0.5;
    from = low > from ? low : from;
    to = high < to ? high : to;
    *middle = (from + to) / 2;
    return to > from ? to - from : 0;
}

/* Its four corners. */
static inline void shape_of_box(struct point2 low, struct point2 high, struct point2 *out)
{
    out[0] = low;
    out[1] = (struct point2){high.s, low.t};
    out[2] = high;
    out[3] = (struct point2){low.s, high.t};
}

/* Returns true if the polygon is the whole square of side 1 around (s, t), to rounding. */
bool shape_is_square(const struct point2 *polygon, int count, double s, double t);

/* Area-preserving, continuous map of the unit square onto the polygon, so that an even pattern
 * stays even. */
struct point2 shape_sample(const struct point2 *polygon, int count, double u, double v);

/* The same for many samples: the polygon as trapezoid strips between its corners. */
struct shape_strip {
    double left, width, area;
    double low[2], high[2]; /* extents in t at the left and the right end */
};

struct shape_strips {
    struct shape_strip strips[SHAPE_POINTS];
    int count;
    double area;
};

void shape_strips_make(const struct point2 *polygon, int count, struct shape_strips *out);
struct point2 shape_strips_sample(const struct shape_strips *strips, double u, double v);

/* Lightmaps of a face: flat, and on bumped faces one per bump direction. */
enum { LUXEL_BUMPS = 3, LUXEL_SLOTS = 1 + LUXEL_BUMPS };

struct luxel {
    float position[3];   /* on the surface, the middle of the visible part */
    float area;          /* of that part, map units squared; 0: border or hidden */
    bool hidden;         /* inside a solid as a whole: it takes the light of its neighbours */
    bool near_occluders; /* other solids may reach into its square: its points are tested */
    bool
        near_backfaces; /* back sides of curves are near: its points are tested for these as well */
    bool supersampled;  /* direct light, by any light */
};

struct face_light {
    const struct bsp_face *face; /* NULL: a receiver that is not a face */
    int width, height;           /* luxels; 0: the face is unlit, and nothing else here is set */
    int count;                   /* width * height */
    int border;                  /* luxels around them in the file: see luxel_border.h */
    int slots;                   /* 1, or LUXEL_SLOTS on bumped faces */
    struct vec3 normal;          /* of the plane */
    struct vec3 origin;          /* flat faces: world = origin + s * axis[0] + t * axis[1] */
    struct vec3 axis[2];
    struct disp_mesh *mesh; /* displacements; else NULL */
    struct point2 *polygon; /* of the face in luxel coordinates, convex */
    int corners;
    bool turns_left; /* flat: the polygon lies to the left of its edges */
    bool boxed;      /* flat: the polygon is the rectangle from `low` to `high` */
    struct point2 low, high;
    struct vec3 dual[2]; /* flat: luxel coordinate k of a point is dual[k] * point + offset[k] */
    double offset[2];
    double square;         /* flat: area of a luxel's whole square, in map units squared */
    float reflectivity[3]; /* 0 .. 0.99 */
    bool no_occlusion;     /* ambient occlusion does not darken it */
    bool no_shadows;       /* lights and suns reach it through everything */
    int model;
    int area; /* of the map, where its luxels lie */
    /* Row by row (s first), read by luxel_of. NULL: packed, on narrow maps where most follow from
     * the axes of the face. */
    struct luxel *luxels;
    struct luxel_pack *pack;
    /* Unit, smoothed: see luxel_normal. NULL: all are that of the plane, as on most faces. */
    float (*normals)[3];
    float plane_normal[3];
    int *clusters; /* stb_ds array: clusters of the leaves that list the face */

    /* Direct light by style: styles[0] is always 0. direct[i] has slots * count colours: colour k
     * of slot j of luxel l is direct[i][3 * (j * count + l) + k]. On the heap. */
    int style_count;
    uint8_t styles[BSP_FACE_STYLES];
    float *direct[BSP_FACE_STYLES];
    /* Bounced light of style 0, read by bounced.h: slots * count colours on the heap, or narrow;
     * both NULL: none. */
    float *indirect;
    struct narrow_light *narrow;
    struct border_light *border_light; /* of the border, once it is known; or NULL */
};

struct subluxels; /* subluxels.h */

struct luxel_map {
    struct face_light *faces; /* one per face of the BSP */
    int face_count;
    size_t luxel_count;
    struct vertex_normals normals;
    const struct scene *scene;        /* borrowed */
    struct vec3 *backface_directions; /* luxel_hidden.h */
    /* Luxels are small, many of them for each point at which bounced light is computed: what lies
     * between such points is evaluated where it is used, instead of stored. The results are the
     * same. */
    bool narrow;
    struct prop_radiosity *props; /* that reflect light; NULL: none */
    struct subluxels *subluxels;  /* once there is direct light; NULL: none */
    struct arena arena;           /* luxels */
};

/* Lays out the luxels of every lit face. Fails on faces with an invalid lightmap. */
NODISCARD enum status luxel_map_build(const struct env *env, const struct scene *scene,
                                      double smooth_degrees, struct luxel_map *out);

/* A receiver of light that is not a face. Everything borrowed must live as long as the map. */
struct luxel_receiver {
    int width, height;           /* luxels; 0: none, and it stays dark */
    struct vec3 normal;          /* of the plane; of a mesh its mean */
    struct vec3 origin, axis[2]; /* flat: as in struct face_light */
    struct disp_mesh *mesh;      /* curved: its points are spread evenly over the luxels; or NULL */
    struct point2 *polygon;      /* flat: in luxel coordinates, convex; at most 60 corners */
    int corners;
    float reflectivity[3];
    int model;
    bool no_occlusion, no_shadows; /* as in struct face_light */
    bool bumped;                   /* also computes light for the three bump directions */
    const int *leaves;             /* the leaves that list it */
    int leaf_count;
};

/* Makes the luxels of receivers; the index of a receiver is that of its face_light. */
NODISCARD enum status luxel_map_of_receivers(const struct env *env, const struct scene *scene,
                                             const struct luxel_receiver *receivers, size_t count,
                                             struct luxel_map *out);
void luxel_map_free(struct luxel_map *map);
/* Drops the light, for a run with other lights. */
void luxel_map_clear(struct luxel_map *map);

/* The point of the surface at luxel coordinates, in the world, and its smoothed normal (may be
 * NULL). */
struct vec3 luxel_point(const struct luxel_map *map, const struct face_light *face,
                        struct point2 at, struct vec3 *normal);

/* Bounds of a face; of nine points of the square of luxel (s, t) on a curved one. */
struct bounds luxel_face_bounds(const struct luxel_map *map, const struct face_light *face);
struct bounds luxel_curved_bounds(const struct luxel_map *map, const struct face_light *face,
                                  double s, double t);

/* Computes the map from points to luxel coordinates, of a flat face. False when its axes span no
 * plane. */
bool luxel_duals(const struct face_light *face, struct vec3 dual[2], double offset[2]);

/* Unit directions of the three bump maps at a luxel, from the texture's S axis and the luxel's
 * smoothed normal. Of a receiver: from any axis. */
void luxel_bump_basis(const struct scene *scene, const struct face_light *face,
                      const struct luxel *luxel, struct vec3 basis[LUXEL_BUMPS]);

/* A luxel of packed ones (luxel_pack.h). */
const struct luxel *luxel_unpack(const struct face_light *face, int luxel, struct luxel *room);
void luxel_pack_set_supersampled(struct face_light *face, int luxel);
float luxel_pack_area(const struct face_light *face, int luxel);
bool luxel_pack_is_hidden(const struct face_light *face, int luxel);

/* The luxel; `room` may hold it. */
static inline const struct luxel *luxel_of(const struct face_light *face, int luxel,
                                           struct luxel *room)
{
    return face->luxels ? &face->luxels[luxel] : luxel_unpack(face, luxel, room);
}

/* The place of a style in face->styles; -1: the face lacks it. */
static inline int face_style_index(const struct face_light *face, int style)
{
    for (int i = 0; i < face->style_count; i++)
        if (face->styles[i] == style)
            return i;
    return -1;
}

static inline float luxel_area(const struct face_light *face, int luxel)
{
    return face->luxels ? face->luxels[luxel].area : luxel_pack_area(face, luxel);
}

static inline bool luxel_is_hidden(const struct face_light *face, int luxel)
{
    return face->luxels ? face->luxels[luxel].hidden : luxel_pack_is_hidden(face, luxel);
}

static inline struct vec3 luxel_position(const struct face_light *face, int luxel)
{
    struct luxel room;
    return vec3_from_floats(luxel_of(face, luxel, &room)->position);
}

static inline void luxel_set_supersampled(struct face_light *face, int luxel)
{
    if (face->luxels)
        face->luxels[luxel].supersampled = true;
    else
        luxel_pack_set_supersampled(face, luxel);
}

/* The smoothed unit normal at a luxel of the face. */
static inline const float *luxel_normal(const struct face_light *face, const struct luxel *luxel)
{
    return face->normals ? face->normals[luxel - face->luxels] : face->plane_normal;
}

/* The luxel whose square contains luxel coordinates (s, t), clamped to the map. */
static inline int luxel_nearest(const struct face_light *face, float s, float t)
{
    int i = (int)(s + 0.5f), j = (int)(t + 0.5f);
    i = i < 0 ? 0 : i >= face->width ? face->width - 1 : i;
    j = j < 0 ? 0 : j >= face->height ? face->height - 1 : j;
    return j * face->width + i;
}

#endif
