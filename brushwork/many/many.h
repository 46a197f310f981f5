/* brushwork build of several maps: each in a process of its own, which is the same program with the
 * same command line and one of the maps.
 *
 * docs/architecture.md says why processes. Bytes are those of single builds. */
#ifndef MANY_MANY_H
#define MANY_MANY_H

#include "common/cli/program.h"

struct many_options {
    int jobs; /* at once; 0: one, or as many as Make's jobserver lets run */
    bool keep_going;
    bool print_maps;
    const char *junit; /* file, or NULL */
    const char **job;  /* stb_ds array: the words of MANY_JOB, in a process for one of the maps */
};

struct planned;

struct many {
    struct many_options options;
    int argc; /* the command line; borrowed */
    char *const *argv;
    /* Set by many_settle: */
    bool is_many;
    bool is_single;       /* one map that an operand names: -o is its output */
    bool as_json;         /* --print-maps prints JSON */
    struct planned *plan; /* stb_ds array: plan.h */
    int end;              /* number of the arguments before a "--" */
    size_t memory;        /* bytes that the maps together may take; 0: no limit */
    double seconds;       /* of the whole run; 0: no limit */
    bool has_threads;     /* the command line says how many there are */
};

/* `base` is the offset of a struct many_options in the values of the table. */
struct option_group many_option_group(size_t base);

/* Reads the lists (@FILE) and patterns among the operands, and decides whether the run is of
 * several maps. Bounds and the sandbox are then those of the processes. In a process for one map,
 * makes that the operand and *output its output. For an option_adapt. Free with many_free, also
 * after a failure. */
NODISCARD enum status many_settle(struct many *many, const struct option_table *table,
                                  struct standard_options *standard, const char **output,
                                  struct option_result *result, struct diag *diag);
void many_free(struct many *many);

/* Compiles the maps, into the folder `output` or, if that is NULL, beside their sources. Returns
 * the worst status: internal error, bound, invalid command line, failure, leak, success.
 * `is_check`: there are no outputs. */
NODISCARD enum status many_run(const struct program *program, const struct many *many,
                               const char *output, bool is_check);

#endif
