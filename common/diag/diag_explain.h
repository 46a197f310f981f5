/* Explanations of codes, longer than their titles and fixes: diag_explanations.def. */
#ifndef DIAG_DIAG_EXPLAIN_H
#define DIAG_DIAG_EXPLAIN_H

#include "common/diag/diag.h"

struct diag_explanation {
    const char *text;    /* paragraphs, separated by "\n\n"; NULL: there is none for the code */
    const char *example; /* lines of a source that has the fault, or NULL */
};

struct diag_explanation diag_explain(enum diag_code code);

/* Returns the code that is written so ("V001"), in any case; DIAG_CODES: none is. */
enum diag_code diag_code_named(const char *text);

#endif
