/* Diagnostics as text and as JSON; for console.c. */
#ifndef CLI_CONSOLE_TEXT_H
#define CLI_CONSOLE_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "common/diag/diag_summary.h"

/* One message, and its fix below when asked. Control characters of a hostile source are shown as
 * `?`, so that they cannot steer a terminal. */
void console_print_text(FILE *out, const char *program, const struct diag_entry *entry,
                        bool with_fix, bool colour);
/* One object on a line. Text that is not UTF-8 has its bad bytes replaced. */
void console_print_json(FILE *out, const char *program, const struct diag_entry *entry);

/* The end of a report: a line a code with its number and the first places; or one object with
 * "summary". Groups of notes are left out unless `notes`. */
void console_summary_text(FILE *out, const char *program, const struct diag_group *groups,
                          bool notes);
void console_summary_json(FILE *out, const char *program, const struct diag_group *groups);

/* What the above are made of, for others who tell of a source: text without control characters;
 * the same as JSON; and the keys of a place in `object`. */
void console_put_clean(FILE *out, const char *text);
json_t *console_json_text(const char *text);
void console_json_where(json_t *object, const struct diag_where *where);

#endif
