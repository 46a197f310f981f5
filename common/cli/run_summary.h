/* The result of a run: its stages with their times and counters, the map, its light and limits, the
 * files written and the next step.
 *
 * The console keeps one and fills in what progress reports; the programs add what they know of the
 * map. It is printed at the end, as text (summary_text.c) and as JSON (summary_json.c). */
#ifndef CLI_RUN_SUMMARY_H
#define CLI_RUN_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/bsp/codec/limit_report.h"
#include "common/core/arena.h"
#include "common/diag/diag.h"

struct summary_value {
    const char *name;
    int64_t value;
};

struct summary_phase {
    const char *name;
    double wall, cpu; /* seconds */
};

struct summary_stage {
    const char *name;
    double wall, cpu;               /* seconds, once it has ended */
    struct summary_phase *phases;   /* stb_ds array, in the order of their end */
    struct summary_value *counters; /* stb_ds array, each name once, with its last value */
};

struct summary_limit {
    const struct bsp_limit *limit; /* borrowed; one per item is not in the text */
    int64_t used;
};

struct summary_file {
    const char *path;
    int64_t bytes;
};

struct summary_light {
    bool present;
    int64_t luxels, lights; /* -1: unknown */
    bool ldr, hdr;
};

/* One of several maps that a run compiles, each in a process of its own. */
struct summary_job {
    const char *map;
    bool started;
    enum status status;
    double wall, cpu;   /* seconds */
    int64_t peak_bytes; /* of memory, as the system counts it; 0: not known */
    const char *result; /* the object "result" of its process, as JSON; or NULL */
};

/* Zero-initialise; free with run_summary_free. What is added is copied, but for the texts of
 * limits. */
struct run_summary {
    struct summary_stage *stages; /* stb_ds arrays */
    struct summary_value *map;
    struct summary_limit *limits; /* those in use */
    struct summary_file *files;
    struct summary_job *jobs; /* in the order of the command line */
    struct summary_light light;
    const char *next; /* what to do with the output; or NULL */
    struct arena arena;
};

/* Begins a stage and ends the one before. */
void run_summary_stage(struct run_summary *summary, const char *name);
void run_summary_end_stage(struct run_summary *summary);
/* Of the current stage; ignored when there is none. */
void run_summary_phase(struct run_summary *summary, const char *name, double wall, double cpu);
void run_summary_counter(struct run_summary *summary, const char *name, int64_t value);

/* The counter of that name, from the last stage that has it; or -1. */
int64_t run_summary_find(const struct run_summary *summary, const char *name);

/* Each replaces an earlier one of that name. */
void run_summary_map(struct run_summary *summary, const char *name, int64_t value);
void run_summary_limit(struct run_summary *summary, const struct bsp_limit *limit, int64_t used);
void run_summary_file(struct run_summary *summary, const char *path, int64_t bytes);

void run_summary_job(struct run_summary *summary, const struct summary_job *job);

void run_summary_free(struct run_summary *summary);

/* --- a compiled map --- */

/* Brushes, faces, leaves, clusters and entities, and the use of each limit of the format. */
void map_summary_add(struct run_summary *summary, const struct bsp *bsp,
                     const struct bsp_format *format);

/* The limits alone, where the map is not kept because one is exceeded. */
void map_summary_limits(struct run_summary *summary, const struct limit_report *report);

/* Luxels, lights, and whether they are LDR or HDR. After the counters of the stage that lights. */
void map_summary_light(struct run_summary *summary, const struct bsp *bsp);

/* --- summary_text.c --- */

/* Aligned rows, wrapped at 100 columns. */
void run_summary_print(const struct run_summary *summary, const struct diag *diag,
                       enum status status, FILE *out);

/* --- summary_json.c --- */

/* One object on a line. */
void run_summary_json(const struct run_summary *summary, const char *program,
                      const struct diag *diag, enum status status, FILE *out);

#endif
