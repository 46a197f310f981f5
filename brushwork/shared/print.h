/* Internal: output of the verbs on standard output. */
#ifndef BRUSHWORK_SHARED_PRINT_H
#define BRUSHWORK_SHARED_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "common/diag/diag.h"

/* Prints text of a file with control characters, which could steer the terminal, as `?`. */
void print_safely(const char *text, FILE *out);

/* Text of a file as JSON: invalid UTF-8 is read as Latin-1. The caller owns the value. */
json_t *print_json_text(const char *text);
/* An object that begins with "version", as all do that the verbs print (docs/json.md). */
json_t *print_json_object(void);
/* Prints the object with a line feed and frees it: over several lines, or as one line. Write errors
 * are reported by print_flush. */
void print_json(json_t *object, FILE *out);
void print_json_line(json_t *object, FILE *out);

/* Flushes standard output; reports FILE_WRITE if anything could not be written. A closed pipe ends
 * the process in silence. */
NODISCARD enum status print_flush(struct diag *diag);

#endif
