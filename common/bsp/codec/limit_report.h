/* How much of each limit of a format a BSP uses, and what uses most of it. */
#ifndef BSP_CODEC_LIMIT_REPORT_H
#define BSP_CODEC_LIMIT_REPORT_H

#include <stdio.h>

#include "common/bsp/codec/format.h"
#include "common/core/arena.h"

enum { LIMIT_PARTS = 10 };

/* One of those that use most of it. What several share is counted for each of them. */
struct limit_part {
    const char *name; /* "func_detail \"pipes\"", "material brick/wall01" */
    int64_t amount;
    struct diag_where where; /* as far as it has a place in the source */
};

struct limit_use {
    const struct bsp_limit *limit;
    int64_t used;
    struct limit_part parts[LIMIT_PARTS]; /* the most first */
    size_t part_count;                    /* 0 also where nobody has asked for them */
};

struct limit_report {
    const struct bsp_format *format;
    struct limit_use *uses; /* stb_ds array, in the order of the format's table */
    struct arena arena;     /* the parts' strings */
};

/* Counts; the parts are left empty, for whoever knows the source. Free with limit_report_free. */
void limit_report_make(const struct bsp *bsp, const struct bsp_format *format,
                       struct limit_report *out);
/* Counts again what later stages have changed; the parts stay. */
void limit_report_update(struct limit_report *report, const struct bsp *bsp);
void limit_report_free(struct limit_report *report);

double limit_percent(const struct bsp_limit *limit, int64_t used);

/* "9000 of 8192 (109.9 %)" */
const char *limit_use_text(const struct limit_use *use, struct arena *arena);

/* "func_detail "pipes" (entity 12, solid 40, at 0 64 8): 812", and so on; "" without parts. */
const char *limit_parts_text(const struct limit_use *use, struct arena *arena);

/* A table, the fullest first, without what is not used; then the parts of those that are passed and
 * of the five that are nearest to their end. */
void limit_report_print(const struct limit_report *report, FILE *out);

/* An object a line, all limits, in the order of the table:
 * {"program":..,"limit":"faces","used":1,"maximum":65536,"percent":0.0,"contributors":[{"name":..,
 * "amount":..,"file":..,"entity":..,"point":[..]}]} */
void limit_report_json(const struct limit_report *report, const char *program, FILE *out);

/* The limit of that name, for which case does not matter, and `-` and `_` are blanks; or NULL, and
 * in *nearest the name that is most like it. */
const struct bsp_limit *limit_find(const struct bsp_format *format, const char *name,
                                   const char **nearest);

#endif
