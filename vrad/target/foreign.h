/* Options that have no meaning for maps of the other engine. */
#ifndef VRAD_TARGET_FOREIGN_H
#define VRAD_TARGET_FOREIGN_H

#include "vrad/vrad.h"

/* Warns (R063) of each option that is not as vrad_defaults has it and that a map of this family
 * does not heed. */
void foreign_options_report(const struct env *env, const struct vrad_options *options, bool quake3);

#endif
