/* Diagnostics of another process, read from the lines that it prints (diag_json.h). */
#ifndef DIAG_DIAG_JSON_READ_H
#define DIAG_DIAG_JSON_READ_H

#include <jansson.h>

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

/* Calls `visit` for each line that is an object or an array. */
typedef void diag_json_visit(void *context, json_t *object);
void diag_json_lines(const struct bytes *text, diag_json_visit *visit, void *context);

/* Returns false for an object that is no diagnostic, or has a code that is not known. Texts of
 * *out are borrowed from the object, the rest is in the arena. Not in JSON, so not in *out:
 * properties aside (properties/all.def). */
bool diag_json_read(const json_t *object, struct arena *arena, struct diag_entry *out);

#endif
