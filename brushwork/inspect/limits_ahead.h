/* How full each limit is, and for a map without visibility or light: how full those will be at most
 * that vvis and vrad fill. */
#ifndef BRUSHWORK_INSPECT_LIMITS_AHEAD_H
#define BRUSHWORK_INSPECT_LIMITS_AHEAD_H

#include <jansson.h>

#include "common/cli/program.h"

/* Prints the limits of a BSP, or of a source, which is compiled by vbsp first; or adds them to
 * `objects` when that is not NULL. `target`: a branch whose limits are wanted, or NULL. */
NODISCARD enum status limits_show(const struct program *program,
                                  const struct standard_options *standard, const char *path,
                                  bool is_source, const char *target, json_t *objects);

#endif
