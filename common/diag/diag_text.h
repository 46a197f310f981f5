/* Diagnostics as text and as JSON, one by one and summed up. */
#ifndef DIAG_DIAG_TEXT_H
#define DIAG_DIAG_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "common/diag/diag.h"

/* One message, and its fix below when asked. Control characters of a hostile source are shown as
 * `?`, so that they cannot steer a terminal. */
void diag_print_text(FILE *out, const char *program, const struct diag_entry *entry, bool with_fix,
                     bool colour);
/* One object on a line. Text that is not UTF-8 has its bad bytes replaced. */
void diag_print_json(FILE *out, const char *program, const struct diag_entry *entry);

/* All diagnostics of one code as one: how many there are, and where the first of them. */
enum { DIAG_PLACES = 5 };

struct diag_group {
    enum diag_code code;
    enum diag_severity severity;
    size_t count;
    size_t place_count;
    /* The first of each place: what lies at the same object, or says the same without one, counts
     * once here. Borrowed from the diag. */
    const struct diag_entry *places[DIAG_PLACES];
};

/* An stb_ds array: errors before warnings before notes, each in the order of their first report.
 * The caller frees it with arrfree; NULL when nothing was reported. */
struct diag_group *diag_summary(const struct diag *diag);

/* The end of a report: a line a code with its number and the first places; or one object with
 * "summary". Groups of notes are left out unless `notes`. */
void diag_summary_text(FILE *out, const char *program, const struct diag_group *groups, bool notes);
void diag_summary_json(FILE *out, const char *program, const struct diag_group *groups);

/* What the above are made of, for others who tell of a source: text without control characters;
 * the same as JSON; and the keys of a place in `object`. */
void diag_put_clean(FILE *out, const char *text);
json_t *diag_json_text(const char *text);
void diag_json_where(json_t *object, const struct diag_where *where);

#endif
