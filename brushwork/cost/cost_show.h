/* Prints the cost of a build. */
#ifndef COST_COST_SHOW_H
#define COST_COST_SHOW_H

#include <jansson.h>

#include "brushwork/cost/cost.h"
#include "common/cli/program.h"

/* Prints the estimate for a BSP, or for a source, which is compiled first; or adds it to `objects`
 * when that is not NULL. A map that leaks has an estimate of vbsp alone that is right. */
NODISCARD enum status cost_show(const struct program *program,
                                const struct standard_options *standard, const char *path,
                                bool is_source, enum build_preset preset, json_t *objects);

#endif
