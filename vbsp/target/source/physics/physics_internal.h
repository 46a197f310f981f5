/* Shared by the physics files. */
#ifndef VBSP_SOURCE_PHYSICS_PHYSICS_INTERNAL_H
#define VBSP_SOURCE_PHYSICS_PHYSICS_INTERNAL_H

#include "common/assets/materials/surfaceprops.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/target/source/physics/physics.h"
#include "vbsp/target/source/physics/physics_hull.h"

struct physics_maker {
    struct physics lump;
    struct surfaceprops *props;
    const char **materials; /* stb_ds array: the world's materialtable */
    const char **unknown;   /* stb_ds array: reported surface properties */
    enum status status;
};

struct seen_side_cell {
    const struct brush_side *key;
    bool value;
};

/* Brushes that become solids of a model: one, or several if one cannot hold them. */
struct physics_part {
    struct compile *compile;
    struct physics_maker *maker;
    struct physics_model *model;
    bool has_materials;          /* has the world's materialtable */
    bool is_moving;              /* of a brush entity */
    struct seen_side_cell *seen; /* hash map: visible sides, by which brushes shrink */
    int mask;                    /* of a static solid */
    int contents;                /* of a fluid */
    struct plane surface;        /* of a fluid */
    struct hull_set set;
    /* Appends the text block of the current solid. */
    void (*describe)(struct physics_part *part);
};

/* Adds solids of these brushes, if any. */
void physics_part_add(struct physics_part *part, const struct map_brush *const *brushes);

/* Finishes the current solid, if it has hulls. */
void physics_part_close(struct physics_part *part);
/* The number of the material's surface property in the world's materialtable, from 1. */
int physics_part_material(struct physics_part *part, const struct material *material);

/* The brushes in the leaves of a model or of a body of water (-1: any) that have one of the bits of
 * `mask` in their contents; an stb_ds array in ascending order of their numbers. A brush that
 * others cover completely is in no leaf, and not needed. */
const struct map_brush **physics_leaf_brushes(const struct compile *compile, int model, int body,
                                              int mask);

/* The name of the material's surface property in the game. */
const char *physics_prop_name(struct physics_part *part, const struct material *material);

/* physics_solids.c: the faces of the brush with visible sides moved inwards by half a unit, in the
 * arena; an stb_ds array, empty if no side moves. */
struct hull_face *physics_shrunk_faces(struct physics_part *part, const struct map_brush *brush,
                                       struct arena *arena);

#endif
