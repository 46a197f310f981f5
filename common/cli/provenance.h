/* --provenance: a statement of what a run was told, what it has read and what it has made. */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H

#include "common/cli/program.h"

/* `base` is the offset of a struct standard_options in the values of the table, which has the group
 * of --depfile too. */
struct option_group provenance_option_group(size_t base);

/* Writes the file, if one is asked for, after a run that has written its outputs with this status.
 * Reports an input that was changed meanwhile, so that nobody knows what was read
 * (PROVENANCE_INPUT). */
NODISCARD enum status provenance_write(const struct program *program, const struct depfile *depfile,
                                       const struct depfile_options *options, enum status status);

#endif
