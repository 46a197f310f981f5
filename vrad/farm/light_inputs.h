/* Inputs of a map's lighting as bytes, for other ranks: options, notes on surfaces, how content was
 * opened, the map. They are read as a file is. */
#ifndef VRAD_FARM_LIGHT_INPUTS_H
#define VRAD_FARM_LIGHT_INPUTS_H

#include "common/bsp/sidecar/surface_notes.h"
#include "common/env.h"
#include "vrad/vrad.h"

struct light_inputs {
    struct arena arena;
    struct vrad_options options; /* texts are in the arena, notes are `notes` */
    struct surface_notes notes;
    bool has_assets;
    struct bytes assets; /* for assets_options_read */
    struct bsp *bsp;
};

/* `opened_with` may be NULL. Fails, which is reported, when the format cannot hold the BSP. */
NODISCARD enum status light_inputs_write(const struct env *env, const struct vrad_options *options,
                                         const struct bytes *opened_with,
                                         const struct bsp_format *format, const struct bsp *bsp,
                                         struct bytes *out);

/* Fails when the reader has something else up to its end. Not to be moved, and to be freed with
 * light_inputs_free in any case. */
NODISCARD enum status light_inputs_read(struct byte_reader *from, struct diag *diag,
                                        struct light_inputs *out);
void light_inputs_free(struct light_inputs *inputs);

#endif
