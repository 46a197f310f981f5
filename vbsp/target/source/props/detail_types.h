/* detail.vbsp: what grows on a material that names a detail type. */
#ifndef VBSP_SOURCE_PROPS_DETAIL_TYPES_H
#define VBSP_SOURCE_PROPS_DETAIL_TYPES_H

#include "common/bsp/lumps/detail_props.h"
#include "common/text/keyvalues.h"

/* One thing that may grow. */
struct detail_kind {
    const char *model; /* or NULL: a sprite */
    struct detail_sprite sprite;
    double amount;               /* up to this the draw takes it: with those before, parts of 1 */
    double min_slope, max_slope; /* z of the normal: all above min, none below max; -2: no limit */
    double random_scale;         /* standard deviation of a sprite's scale */
    enum detail_type type;
    enum detail_orientation orientation;
    bool upright; /* on slopes too */
    uint8_t sway, shape_angle, shape_size;
};

struct detail_group {
    double alpha;
    struct detail_kind *kinds; /* in the arena */
    size_t kind_count;
};

/* In the order of the file, groups by alpha. */
struct detail_growth {
    const char *name;
    double density; /* things on a million square units */
    struct detail_group *groups;
    size_t group_count;
    struct detail_growth *next;
};

/* Reads the root block as kv_parse gives it; nothing in it fails: what makes no sense has its usual
 * value. In the arena. */
struct detail_growth *detail_types_read(const struct kv *root, struct arena *arena);
const struct detail_growth *detail_types_find(const struct detail_growth *first, const char *name);

/* A sprite as entities and detail.vbsp name it: corners in units, and "x y width height" of a
 * texture of `total` texels a side. */
struct detail_sprite detail_sprite_of(const double upper_left[2], const double lower_right[2],
                                      const double texture[4], double total);

#endif
