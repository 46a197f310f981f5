/* Internal: an image of all surfaces in their light. */
#ifndef EXPORT_BAKE_ATLAS_H
#define EXPORT_BAKE_ATLAS_H

#include "export/bake/bake.h"

/* Fills places and pixels. Fails (reported) when the surfaces do not fit. */
NODISCARD enum status bake_atlas(struct bake *bake, const struct surface_order *order);

#endif
