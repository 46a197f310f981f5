/* Diagnostics as JSON, one object per line, and parts for other objects about a source
 * (docs/json.md). */
#ifndef DIAG_DIAG_JSON_H
#define DIAG_DIAG_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "common/diag/diag.h"
#include "common/diag/diag_text.h"

/* The version of all JSON that the programs print. It rises when a key goes or changes its
 * meaning. */
enum { JSON_VERSION = 1 };

void diag_print_json(FILE *out, const char *program, const struct diag_entry *entry);
/* Prints one object with "summary". */
void diag_summary_json(FILE *out, const char *program, const struct diag_group *groups);

/* A status as a word: "ok", "leak". */
const char *diag_status_name(enum status status);

/* Returns the text with bytes that are no UTF-8 replaced; free with memory_free. */
char *diag_utf8(const char *text);
json_t *diag_json_text(const char *text); /* the same as JSON */
/* Adds the keys of a location. */
void diag_json_where(json_t *object, const struct diag_where *where);
/* The same with those that only a message has. */
void diag_json_whole(json_t *object, const struct diag_where *where);

#endif
