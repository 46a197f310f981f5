/* cfg/commandline.cfg of a game: options for a map that nobody wants to type.
 *
 *     "commandline"
 *     {
 *         "MAP" { "vbsp" "-nodetail" "vrad" "-final -bounce 20" }
 *     }
 *
 * The outermost block may be missing. In an option's argument blanks stand between single quotes.
 * (Notes on Valve's tools, section on command lines.) */
#ifndef ASSETS_COMMAND_CONFIG_H
#define ASSETS_COMMAND_CONFIG_H

#include "common/cli/options.h"

/* An option_config: takes what the file says of the first operand's map for the tools of the
 * table's groups. No such file, or none of those in it, is fine. Reports a file that does not
 * parse, and options that are not known (USAGE). */
enum status command_config_apply(const struct option_table *table, void *values,
                                 struct option_result *result, const char *game,
                                 struct arena *arena, struct diag *diag);

#endif
