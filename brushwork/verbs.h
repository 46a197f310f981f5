/* The verbs of the program `brushwork`: each takes its own arguments, argv[0] being the verb, and
 * returns the exit status. */
#ifndef BRUSHWORK_VERBS_H
#define BRUSHWORK_VERBS_H

#include "brushwork/shared/verb_table.h"
#include "common/cli/program.h"
#include "common/farm/farm.h"

enum brushwork_verb {
#define VERB(name, operands, summary) VERB_##name,
#include "brushwork/verbs.def"
#undef VERB
    VERBS
};

#define VERB(name, operands, summary) int verb_##name(int argc, char **argv);
#include "brushwork/verbs.def"
#undef VERB

/* The verb build as a program. */
program_main build_program;

extern const struct verb brushwork_verbs[VERBS];

/* Those of build that other ranks do. */
extern const struct farm_stage brushwork_farm_stages[];

#endif
