/* Prints diagnostics as text, individually and as a summary, and lists them by code. */
#ifndef DIAG_DIAG_TEXT_H
#define DIAG_DIAG_TEXT_H

#include <stdio.h>

#include "common/diag/diag.h"

struct diag_style {
    bool fix;    /* on a line of its own */
    bool colour; /* of a terminal */
    bool whole;  /* lists of objects to their end */
    int columns; /* lines are broken there, at blanks; 0: they are not */
};

/* Prints one message. Control characters from the source become `?`, so that they cannot control a
 * terminal. */
void diag_print_text(FILE *out, const char *program, const struct diag_entry *entry,
                     struct diag_style style);
/* Prints the fix of its code, with the name of the file that the message is about. */
void diag_put_fix(FILE *out, const struct diag_entry *entry);
/* Prints the message without its place: the detail, ids and point; then a line for each
 * instance that it is in. */
void diag_print_detail(FILE *out, const char *program, const struct diag_entry *entry);

/* All diagnostics of one code: their number, and their first locations. */
enum { DIAG_PLACES = 5 };

struct diag_group {
    int code;
    enum diag_severity severity;
    size_t count;
    size_t place_count;
    /* The first diagnostic of each location: those about the same object, or with the same text and
     * no object, count once here. Borrowed from the diag. */
    const struct diag_entry *places[DIAG_PLACES];
};

/* Returns an stb_ds array: errors before warnings before notes, each in the order of their first
 * report. The caller frees it with arrfree; NULL when nothing was reported. */
struct diag_group *diag_summary(const struct diag *diag);

/* Prints the end of a report: one line per code with its count and first locations. Groups of notes
 * are left out unless `notes`. */
void diag_summary_text(FILE *out, const char *program, const struct diag_group *groups, bool notes);

/* For other reports on a source: text without control characters. */
void diag_put_clean(FILE *out, const char *text);

/* Prints text with each of its lines broken at blanks, so that it takes at most so many columns
 * where its words allow. What follows a break is indented by four more than the line. Sequences for
 * colours take no columns, and a character of UTF-8 takes one. */
void diag_put_wrapped(FILE *out, const char *text, int columns);

#endif
