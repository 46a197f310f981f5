/* detail.vbsp: the detail props of materials that name a detail type. */
#ifndef VBSP_SOURCE_PROPS_DETAIL_TYPES_H
#define VBSP_SOURCE_PROPS_DETAIL_TYPES_H

#include "common/bsp/lumps/detail_props.h"
#include "common/text/keyvalues.h"

/* One kind of detail prop. */
struct detail_kind {
    const char *model; /* or NULL: a sprite */
    struct detail_sprite sprite;
    double amount; /* cumulative probability, from 0 to 1 */
    double min_slope,
        max_slope;       /* z of the normal: always above min, never below max; -2: no limit */
    double random_scale; /* standard deviation of a sprite's scale */
    enum detail_type type;
    enum detail_orientation orientation;
    bool upright; /* also on slopes */
    uint8_t sway, shape_angle, shape_size;
};

struct detail_group {
    double alpha;
    size_t number;             /* in the file's order */
    struct detail_kind *kinds; /* in the arena */
    size_t kind_count;
};

/* A detail type: in file order, with groups sorted by alpha. */
struct detail_growth {
    const char *name;
    double density; /* props per million square units */
    struct detail_group *groups;
    size_t group_count;
    struct detail_growth *next;
};

/* Reads the root block as returned by kv_parse; never fails: invalid values become defaults. In the
 * arena. */
struct detail_growth *detail_types_read(const struct kv *root, struct arena *arena);
const struct detail_growth *detail_types_find(const struct detail_growth *first, const char *name);

/* Returns a number of a script or key as the lump holds it: finite, and no farther from 0 than any
 * map needs. */
float detail_number(double value);

/* A sprite as given by entities and detail.vbsp: corners in units, and "x y width height" in a
 * texture of `total` texels per side. */
struct detail_sprite detail_sprite_of(const double upper_left[2], const double lower_right[2],
                                      const double texture[4], double total);

#endif
