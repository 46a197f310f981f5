/* The messages of a build, as another run has written them to a file. */
#ifndef VIEW_PACK_DIAGNOSTICS_H
#define VIEW_PACK_DIAGNOSTICS_H

#include <jansson.h>

#include "common/core/bytes.h"

/* Reads messages as lines of JSON or as SARIF (docs/json.md): of each "severity", "code", "text",
 * "where" (file name and line, entity, solid and side, as far as there are) and "places", pairs of
 * a name and a point. Errors are the first, notes the last; those of a severity keep their order.
 * Returns NULL for text that is neither. */
json_t *view_diagnostics_read(const struct bytes *text);

#endif
