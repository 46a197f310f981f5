/* The file of the errors of a path-traced map, beside its BSP. */
#ifndef VRAD_REFERENCE_ERROR_FILE_H
#define VRAD_REFERENCE_ERROR_FILE_H

#include "common/env.h"
#include "vrad/luxels/luxel.h"

struct luxel_errors;

/* Counts the errors, and on rank 0 writes MAP.error, or of the light for HDR MAP.hdr.error, beside
 * the BSP at `path`; NULL and "-": it writes nothing. */
NODISCARD enum status error_file_write(const struct env *env, const char *path, bool hdr,
                                       const struct luxel_errors *errors,
                                       const struct luxel_map *map);

#endif
