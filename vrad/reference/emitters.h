/* Faces that give light, as areas: what the point lights of their patches stand for. */
#ifndef VRAD_REFERENCE_EMITTERS_H
#define VRAD_REFERENCE_EMITTERS_H

#include "vrad/luxels/luxel.h"

struct light_set;

/* A triangle of a face, with the areas of the face's triangles up to it. */
struct emitter_triangle {
    struct vec3 corners[3];
    struct vec3 normal; /* unit; light leaves on this side */
    double area_so_far;
};

struct emitter {
    int face;
    double radiosity[3]; /* the light of a surface that sees nothing else */
    double area;
    int first, count; /* in emitters.triangles */
    struct bounds bounds;
    bool is_hit; /* rays hit it: it is flat, and part of the scene */
};

struct emitters {
    struct emitter *list;               /* stb_ds array */
    struct emitter_triangle *triangles; /* stb_ds array */
    int *of_face;                       /* one per face: its place in `list`, or -1 */
    bool any_unhit;                     /* rays do not hit all of them */
    bool *replaces;                     /* one per light: an emitter stands in for it */
};

/* Collects those of style 0. Free with emitters_free. */
void emitters_make(const struct scene *scene, const struct light_set *lights,
                   const struct luxel_map *map, struct emitters *out);
void emitters_free(struct emitters *emitters);

/* The emitter of a face that a ray has hit; NULL: it has none that rays see. */
static inline const struct emitter *emitter_seen(const struct emitters *emitters, int face)
{
    int number = emitters && face >= 0 ? emitters->of_face[face] : -1;
    return number >= 0 && emitters->list[number].is_hit ? &emitters->list[number] : NULL;
}

/* A point of an emitter that rays do not hit. */
struct emitter_sample {
    const struct emitter *emitter; /* NULL: there is none before the place */
    struct vec3 way, direction;    /* up to the point; unit */
    double scale; /* of the radiosity: the light there on a surface that faces it, divided by the
                     density of the choice */
};

/* Chooses one by three random numbers of [0, 1). */
void emitters_sample(const struct emitters *emitters, struct vec3 start, const double random[3],
                     struct emitter_sample *out);

#endif
