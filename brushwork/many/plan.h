/* The plan of a build of several maps: its maps with their options and outputs, as the operands
 * and the lists (@FILE) among them name them.
 *
 * Folders of outputs are those of the sources: below the folder of the list that names a map, below
 * the part of a pattern (pattern.h) without wildcards, and of other maps below the folder that they
 * have in common. */
#ifndef MANY_PLAN_H
#define MANY_PLAN_H

#include "brushwork/many/job.h"

/* Reads the operands into many->plan, expands patterns, and makes the maps the operands. Reports
 * lists that cannot be read (FILE_READ, LIST), their options (USAGE), and patterns without a match
 * (MAP_ABSENT). All is in the arena of the result. */
NODISCARD enum status plan_read(struct many *many, const struct option_table *table,
                                struct option_result *result, struct diag *diag);

/* Appends a job for each map to *jobs, an stb_ds array. `output` is the folder of the outputs, or
 * the output of the one map of a run without lists, or NULL: beside the sources. Reports all maps
 * that are missing (MAP_ABSENT) and all that have the output of another (SAME_OUTPUT); only then
 * makes the folders. */
NODISCARD enum status plan_jobs(const struct env *env, const struct many *many, const char *output,
                                struct arena *arena, struct job **jobs);

/* Prints the maps, for scripts: a line a map, words quoted as a shell takes them: the map, its
 * output, its options; or as JSON objects. */
NODISCARD enum status plan_print(const struct env *env, const struct job *jobs, bool as_json);

#endif
