/* The stages of a Quake 3 shader as they are drawn on a point, at a moment of the game. */
#ifndef SCENE_MATERIALS_LAYERS_H
#define SCENE_MATERIALS_LAYERS_H

#include "common/geom/vec.h"
#include "scene/light/gamma.h"
#include "scene/materials/stages.h"
#include "scene/materials/texture.h"

enum layer_test { LAYER_DRAWN, LAYER_ABOVE_0, LAYER_BELOW_HALF, LAYER_FROM_HALF };

struct layer {
    const struct texture *texture;
    float change[2][3];     /* u' = a u + b v + c, and v' */
    float turbulence[2][2]; /* the share of two waves in u', and in v' */
    float turn;             /* that the waves begin with */
    bool turbulent;
    float colour[3]; /* of the screen, 0 .. 1 */
    float opacity;
    struct blend blend;
    enum layer_test test; /* of alpha: other points are not drawn */
    bool has_blend, lit, doubled, vertex_light, vertex_dark, clamped, vertex_alpha, reflects;
};

struct layer_list {
    const struct screen *screen;
    int count, deform_count;
    struct layer layers[MOST_STAGES];
    struct deform deforms[MOST_DEFORMS]; /* of the vertices of its surfaces */
};

/* The fog that a surface is in. */
struct layer_fog {
    float colour[3]; /* of the screen */
    float share;     /* that it hides */
};

/* A point of a surface. */
struct layer_point {
    double place[2];       /* texture coordinates of the surface */
    double reflection[2];  /* those of what it reflects */
    double footprint;      /* in them, as for texture_at */
    float light[3];        /* linear, 1 is white; that of the vertices is taken to be the same */
    float opacity;         /* of the vertices */
    const float *corners;  /* of its triangle, nine numbers, between which the waves of turbulence
                              are interpolated; NULL: without turbulence */
    const double *weights; /* of the corners */
    struct layer_fog fog;
};

struct layer layer_of(const struct shader_stage *stage, const struct texture *texture,
                      double seconds);

/* Returns where the shader moves a vertex. */
struct vec3 layers_move(const struct layer_list *list, double seconds, struct vec3 vertex,
                        struct vec3 normal);

/* Draws all layers over what is there: in fog, which hides them or lets what they add fade. */
void layers_over(const struct layer_list *list, const struct layer_point *point,
                 struct blended *under);

/* Draws fog over what is there. */
void layer_fog_over(const struct layer_fog *fog, struct blended *under);

#endif
