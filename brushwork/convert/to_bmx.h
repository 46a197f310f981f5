/* `brushwork convert` of a .map or .vmf to a BM file. */
#ifndef BRUSHWORK_CONVERT_TO_BMX_H
#define BRUSHWORK_CONVERT_TO_BMX_H

#include "common/cli/program.h"
#include "vbsp/target/ballance/convert.h"

/* Returns true for a name that ends in .bmx, and for the ending alone. */
bool is_bmx(const char *name);

/* Converts the level of the first operand. */
NODISCARD enum status convert_to_bmx(const struct program *program,
                                     const struct standard_options *standard,
                                     const struct ballance_options *options, const char *out);

#endif
