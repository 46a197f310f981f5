/* Inside common/bsp: the list of models that the game lumps of static and of detail props begin
 * with: a count, then 128 bytes a name, filled up with zeros. */
#ifndef BSP_LUMPS_MODEL_NAMES_H
#define BSP_LUMPS_MODEL_NAMES_H

#include "common/bsp/record.h"

enum { MODEL_NAME_SIZE = 128 };

/* Appends the names to the stb_ds array *names, each from memory_alloc. What stands behind the
 * zero that ends a name is left out; a name without one has all 128 bytes. False when the data are
 * too short. */
bool model_names_read(struct byte_reader *reader, char ***names);

/* False and *range_error when a name has more than 128 characters. */
bool model_names_write(char *const *names, struct bytes *out,
                       struct record_range_error *range_error);

void model_names_free(char **names);

#endif
