/* --sandbox: from before the map is read, a program reads and writes only the folders that its
 * command line names. */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include <stdbool.h>

#include "common/cli/options.h"
#include "common/env.h"

struct sandbox;

/* Returns true if the environment asks for a sandbox: BRUSHWORK_SANDBOX, unless it is empty or 0.
 */
bool sandbox_wanted(void);

/* Enters a sandbox for the rest of the process, before it has threads: env->fs becomes a file
 * system of these roots, and the process confines itself by Landlock and seccomp where the kernel
 * has them. A note says at which strength (SANDBOX), a warning what is missing (SANDBOX_WEAK).
 * The roots are the folder of each operand, or the operand if it is a folder, and that of each
 * output, for reading and writing; and for reading the paths of other options, and the content that
 * table->content finds for `standard`. Free with sandbox_free, after the last use of env->fs. */
NODISCARD enum status sandbox_enter(struct env *env, const struct option_table *table,
                                    const void *values, const struct option_result *result,
                                    const void *standard, struct sandbox **out);
void sandbox_free(struct sandbox *sandbox); /* NULL is fine */

#endif
