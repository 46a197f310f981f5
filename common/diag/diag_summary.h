/* All diagnostics of one code as one: how many there are, and where the first of them. */
#ifndef DIAG_DIAG_SUMMARY_H
#define DIAG_DIAG_SUMMARY_H

#include "common/diag/diag.h"

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

#endif
