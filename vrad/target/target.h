/* Families of engines (common/bsp/engine.h), which differ in light sources, receivers and the
 * storage of light. A family is a folder and a row in target.c. */
#ifndef VRAD_TARGET_TARGET_H
#define VRAD_TARGET_TARGET_H

#include "vrad/vrad.h"

struct entity_reads;
struct entity_view;
struct light_checkpoint;

/* An option, by its field in struct vrad_options. */
struct vrad_option {
    const char *name;
    size_t offset, size;
};

#define VRAD_OPTION(name, field)                                                                   \
    {name, offsetof(struct vrad_options, field), sizeof vrad_defaults.field}

struct vrad_target {
    /* Replaces all lighting in the bsp, whose entities are in the view alone. */
    enum status (*light)(const struct env *env, const struct vrad_options *options,
                         struct assets *assets, struct light_checkpoint *checkpoint,
                         struct entity_view *entities, struct bsp *bsp);
    const struct vrad_option *inapplicable; /* options that do not apply to its maps */
    size_t inapplicable_count;
};

extern const struct vrad_target vrad_source, vrad_quake3;

/* Of the engine of the BSP; NULL: none lights it. */
const struct vrad_target *vrad_target_of(const struct bsp *bsp);

/* Lights a map of a known family. `reads` notes what it asks of the entities; or NULL. */
NODISCARD enum status vrad_target_light(const struct env *env, const struct vrad_options *options,
                                        struct assets *assets, struct light_checkpoint *checkpoint,
                                        struct entity_reads *reads, struct bsp *bsp);

/* Warns (R063) of each inapplicable option that differs from vrad_defaults. */
void vrad_report_inapplicable(const struct env *env, const struct vrad_options *options,
                              const struct vrad_target *target);

#endif
