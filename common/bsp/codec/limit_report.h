/* Usage of each limit of a format by a BSP, and its largest contributors. */
#ifndef BSP_CODEC_LIMIT_REPORT_H
#define BSP_CODEC_LIMIT_REPORT_H

#include <stdio.h>

#include "common/bsp/codec/format.h"
#include "common/core/arena.h"

enum { LIMIT_CONTRIBUTORS = 10 };

/* A contributor to the usage of a limit. Shared records count for each of them. */
struct limit_contributor {
    const char *name; /* "func_detail \"pipes\"", "material brick/wall01" */
    int64_t amount;
    struct diag_where where; /* if it has a position in the source */
};

struct limit_use {
    const struct bsp_limit *limit;
    int64_t used;
    struct limit_contributor contributors[LIMIT_CONTRIBUTORS]; /* largest first */
    size_t contributor_count; /* 0 also when they were not computed */
};

struct limit_report {
    const struct bsp_format *format;
    struct limit_use *uses; /* stb_ds array, in the order of the format's table */
    struct arena arena;     /* strings of the contributors */
};

/* Counts the usage; `parts` are left empty, to be filled by a caller that knows the source. Free
 * with limit_report_free. */
void limit_report_make(const struct bsp *bsp, const struct bsp_format *format,
                       struct limit_report *out);
/* Returns the format of a file that was read, which does not tell its branch, or if it has more
 * than that takes another branch with such files that takes it all. */
const struct bsp_format *bsp_branch_that_takes(const struct bsp *bsp,
                                               const struct bsp_format *format);
/* Counts again after later stages have changed the bsp; `parts` are kept. */
void limit_report_update(struct limit_report *report, const struct bsp *bsp);
void limit_report_free(struct limit_report *report);

/* The use of one of the limits of its format. */
const struct limit_use *limit_report_use(const struct limit_report *report,
                                         const struct bsp_limit *limit);

/* Returns the limits in use, the fullest first: an stb_ds array. */
const struct limit_use **limit_report_by_fullness(const struct limit_report *report);

/* 0 for a limit whose maximum is 0. */
double limit_percent(const struct bsp_limit *limit, int64_t used);
/* "exceeded", "nearly full" or "" */
const char *limit_state(const struct bsp_limit *limit, int64_t used);
/* Prints a row of a table: the name in 28 columns, used and maximum in 10 each, per cent, state. */
void limit_print(const struct bsp_limit *limit, int64_t used, FILE *out);

/* "9000 of 8192 (109.9 %)" */
const char *limit_use_text(const struct limit_use *use, struct arena *arena);

/* "func_detail "pipes" (entity 12, solid 40, at 0 64 8): 812", and so on; "" without
 * contributors. */
const char *limit_contributors_text(const struct limit_use *use, struct arena *arena);

/* Prints a table sorted by usage, without unused limits; then the contributors of exceeded limits
 * and of the five that are closest to their maximum. */
void limit_report_print(const struct limit_report *report, FILE *out);

/* Writes one JSON object per line, for all limits in the order of the table:
 * {"program":..,"limit":"faces","used":1,"maximum":65536,"percent":0.0,"contributors":[{"name":..,
 * "amount":..,"file":..,"entity":..,"point":[..]}]} */
void limit_report_json(const struct limit_report *report, const char *program, FILE *out);

/* Returns the limit of that name, ignoring case, with `-` and `_` as spaces; or NULL, and in
 * *nearest the most similar name. */
const struct bsp_limit *limit_find(const struct bsp_format *format, const char *name,
                                   const char **nearest);

#endif
