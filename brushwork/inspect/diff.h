/* Internal: text and JSON output of `brushwork diff`. */
#ifndef BRUSHWORK_INSPECT_DIFF_H
#define BRUSHWORK_INSPECT_DIFF_H

#include <stdio.h>

#include "common/diff/diff.h"

struct diff_view {
    const char *paths[2];
    const struct bsp *bsp[2];
    const struct bsp_diff *diff;
    bool summary; /* only the table */
};

void diff_print(const struct diff_view *view, FILE *out);
/* One object. Write errors are reported by print_flush. */
void diff_print_json(const struct diff_view *view, FILE *out);

#endif
