/* The verbs of the program `brushwork`: each takes its own arguments, argv[0] being the verb, and
 * returns the exit status. They are known by name: what is here does not depend on how many there
 * are, so that a row of verbs.def compiles its verb and the table alone. */
#ifndef BRUSHWORK_VERBS_H
#define BRUSHWORK_VERBS_H

#include "brushwork/shared/verb_table.h"
#include "common/cli/program.h"
#include "common/farm/farm.h"

extern const struct verb_table brushwork_verbs;

/* Returns the row of a verb that exists. */
const struct verb *brushwork_verb(const char *name);

/* The verb build as a program. */
program_main build_program;

/* Those of build that other ranks do. */
extern const struct farm_stage brushwork_farm_stages[];

#endif
