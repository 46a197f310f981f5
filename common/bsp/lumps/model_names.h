/* Internal to common/bsp: the list of models at the start of the game lumps of static and detail
 * props: a count, then 128 bytes per name, padded with zeros. */
#ifndef BSP_LUMPS_MODEL_NAMES_H
#define BSP_LUMPS_MODEL_NAMES_H

#include "common/bsp/record.h"

enum { MODEL_NAME_SIZE = 128 };

/* Appends the names to the stb_ds array *names, each from memory_alloc. Bytes after the NUL of a
 * name are dropped; a name without one has all 128 bytes. Returns false when the data is too
 * short. */
bool model_names_read(struct byte_reader *reader, char ***names);

/* Returns false and sets *range_error when a name has more than 128 characters. */
bool model_names_write(char *const *names, struct bytes *out,
                       struct record_range_error *range_error);

void model_names_free(char **names);

#endif
