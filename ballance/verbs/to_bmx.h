/* `brushwork convert` of a .map or .vmf to a BM file. */
#ifndef BALLANCE_VERBS_TO_BMX_H
#define BALLANCE_VERBS_TO_BMX_H

#include "ballance/compile/convert.h"
#include "common/cli/program.h"

/* Returns true for a name that ends in .bmx, and for the ending alone. */
bool is_bmx(const char *name);

/* Converts the level of the first operand. */
NODISCARD enum status convert_to_bmx(const struct program *program,
                                     const struct standard_options *standard,
                                     const struct ballance_options *options, const char *out);

#endif
