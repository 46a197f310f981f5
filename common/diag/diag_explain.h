/* Explanations of codes, longer than their titles and fixes: of one code, or of a family of those
 * with a common cause. */
#ifndef DIAG_DIAG_EXPLAIN_H
#define DIAG_DIAG_EXPLAIN_H

#include "common/diag/diag.h"

/* Codes with one page; their first and last code, inclusive. */
struct diag_family {
    const char *first, *last, *text, *example;
};

struct diag_explanation {
    const char *text;    /* paragraphs, separated by "\n\n" */
    const char *example; /* lines of a source that has the fault, and the message; or NULL */
    const struct diag_family *family; /* whose page it is; NULL: that of the code alone */
};

/* Returns the families in the order of their codes; NULL after the last. */
const struct diag_family *diag_family_at(size_t index);

/* Returns the family that a code is in: each is in one. */
const struct diag_family *diag_family(int code);

/* Returns the page of the code, else that of its family: each code has one. */
struct diag_explanation diag_explain(int code);

/* Returns the code that is written so ("V001"), in any case; 0: none is. */
int diag_code_named(const char *text);

#endif
