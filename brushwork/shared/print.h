/* Inside brushwork: what the verbs print on standard output. */
#ifndef BRUSHWORK_SHARED_PRINT_H
#define BRUSHWORK_SHARED_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "common/diag/diag.h"

/* Control characters of a file must not steer the terminal: they are printed as `?`. */
void print_safely(const char *text, FILE *out);

/* Text of a file as JSON: what is no UTF-8 is taken for Latin-1. The caller owns the value. */
json_t *print_json_text(const char *text);
/* An object that begins with "version", as all do that the verbs print (docs/json.md). */
json_t *print_json_object(void);
/* Prints the object with a line feed and frees it: over several lines, or as one line. A disk that
 * is full shows at print_flush. */
void print_json(json_t *object, FILE *out);
void print_json_line(json_t *object, FILE *out);

/* Writes what standard output still holds; reports FILE_WRITE when that, or anything printed
 * before, could not be written. */
NODISCARD enum status print_flush(struct diag *diag);

#endif
