/* Families of engines (common/bsp/engine.h), which differ in light sources, receivers and the
 * storage of light. A family is a folder and a row in target.c. */
#ifndef VRAD_TARGET_TARGET_H
#define VRAD_TARGET_TARGET_H

#include "vrad/vrad.h"

struct entity_view;
struct light_checkpoint;
struct light_store;

/* An option, by its field in struct vrad_options, or in a struct that it points to there. */
struct vrad_option {
    const char *name;
    size_t offset, size;
    const struct option_part *part; /* or NULL */
};

#define VRAD_OPTION(name, field)                                                                   \
    {name, offsetof(struct vrad_options, field), sizeof vrad_defaults.field, NULL}
/* The same for a field of struct PART_options, whose place is PART_part. */
#define VRAD_PART_OPTION(name, part, field)                                                        \
    {name, offsetof(struct part##_options, field), sizeof part##_defaults.field, &part##_part}

/* A map that is being lit. */
struct light_work {
    const struct env *env;
    const struct vrad_options *options;
    struct assets *assets;               /* or NULL */
    struct light_checkpoint *checkpoint; /* or NULL */
    struct light_store *store;           /* for `light`; or NULL */
    struct entity_view *entities;        /* which the BSP does not have meanwhile */
    struct bsp *bsp;
    void *own; /* of the target */
};

struct vrad_target {
    size_t size; /* of light_work.own, which is zero at first */
    /* The steps that light a map, in this order. */
    enum status (*scene)(struct light_work *work);  /* content -> what blocks and emits light */
    enum status (*luxels)(struct light_work *work); /* surfaces -> the places of luxels */
    enum status (*light)(struct light_work *work);  /* luxels -> all lighting of the BSP */
    void (*free)(struct light_work *work);          /* after any of them */
    const struct vrad_option *inapplicable;         /* options that do not apply to its maps */
    size_t inapplicable_count;
};

extern const struct vrad_target vrad_source, vrad_quake3;

/* Of the engine of the BSP; NULL: none lights it. */
const struct vrad_target *vrad_target_of(const struct bsp *bsp);

/* Warns (R063) of each inapplicable option that differs from vrad_defaults. */
void vrad_report_inapplicable(const struct env *env, const struct vrad_options *options,
                              const struct vrad_target *target);

#endif
