/* A change of the entities of a map, as a later stage makes it: entities leave, and the world gets
 * keys. It can be made to other entities that the stage sees as the same (entity_reads.h); those
 * that it does not see stay. */
#ifndef TEXT_ENTITY_PATCH_H
#define TEXT_ENTITY_PATCH_H

#include "common/core/bytes.h"

/* Appends the change from one text to the other, of a stage with these questions
 * (entity_reads_write). Returns false, with *out unchanged, when it is of another kind. */
bool entity_patch_make(const struct bytes *questions, const char *before, size_t before_size,
                       const char *after, size_t after_size, struct bytes *out);

/* Makes a change to a text (an stb_ds array). Returns false, and changes nothing, when the reader
 * has none for as many entities that are seen. */
bool entity_patch_apply(struct byte_reader *from, char **text);

#endif
