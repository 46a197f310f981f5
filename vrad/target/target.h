/* What differs from engine to engine: where light comes from, what it falls on, and how the file
 * wants it. A family of engines is a folder and a row in target.c. */
#ifndef VRAD_TARGET_TARGET_H
#define VRAD_TARGET_TARGET_H

#include "vrad/vrad.h"

/* An option, by its field in struct vrad_options. */
struct vrad_option {
    const char *name;
    size_t offset, size;
};

#define VRAD_OPTION(name, field)                                                                   \
    {name, offsetof(struct vrad_options, field), sizeof vrad_defaults.field}

struct vrad_target {
    enum container_family family; /* of its files */
    bool has_notes;               /* vbsp writes notes on surfaces beside them */
    /* Replaces all that the bsp says of light. */
    enum status (*light)(const struct env *env, const struct vrad_options *options,
                         struct assets *assets, struct bsp *bsp);
    const struct vrad_option *inapplicable; /* options that its maps do not heed */
    size_t inapplicable_count;
};

extern const struct vrad_target vrad_source, vrad_quake3;

/* NULL: no engine of this family is known. */
const struct vrad_target *vrad_target_of(enum container_family family);

/* Warns (R063) of each inapplicable option that is not as vrad_defaults has it. */
void vrad_report_inapplicable(const struct env *env, const struct vrad_options *options,
                              const struct vrad_target *target);

#endif
