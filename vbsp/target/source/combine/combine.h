/* Static props, combined on request: props that are alike and near each other become one model of
 * the map, so that the engine draws fewer of them.
 *
 * Props are combined when all of this is the same: the rule of their models (combine_rules.h),
 * materials, how they are solid, fade and tint, the flags, the flags and the surface property of
 * their models; and when they are in one cluster or no wall is between them, not farther apart and
 * together not larger than the rule says. The new model has their vertices, where they were, and
 * their collision hulls.
 *
 * Props whose models have as many levels of detail keep them, and change at the largest distance of
 * those that are combined.
 *
 * Left as they are: translucent props, which the engine sorts; those that collide as a box, have a
 * lightmap of their own, change materials with the level of detail, or lack a file. */
#ifndef VBSP_SOURCE_COMBINE_COMBINE_H
#define VBSP_SOURCE_COMBINE_COMBINE_H

#include "vbsp/context.h"

/* Places the static props (static_props_place), combines them when the options say so, and writes
 * them (static_props_write). Fails with COMBINE_RULES. New models are added to the compile's
 * pakfile as models/maps/MAP/combined_N.mdl and so on. */
NODISCARD enum status static_props_emit(struct compile *compile);

/* Replaces the combined models in the pakfile of an existing BSP by those of the compile. Returns
 * true when the pakfile has changed. */
bool combined_models_replace(const struct compile *compile, struct pakfile *pakfile);

#endif
