/* Diagnostics as text and as JSON; for console.c. */
#ifndef CORE_CONSOLE_TEXT_H
#define CORE_CONSOLE_TEXT_H

#include <stdio.h>

#include "common/core/diag.h"

/* One message, and its fix below when asked. Control characters of a hostile source are shown as
 * `?`, so that they cannot steer a terminal. */
void console_print_text(FILE *out, const char *program, const struct diag_entry *entry,
                        bool with_fix, bool colour);
/* One object on a line. Text that is not UTF-8 has its bad bytes replaced. */
void console_print_json(FILE *out, const char *program, const struct diag_entry *entry);

#endif
