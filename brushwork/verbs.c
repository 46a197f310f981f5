#include "brushwork/verbs.h"

const struct verb brushwork_verbs[VERBS] = {
#define VERB(name, operands, summary) {"brushwork " #name, #name, operands, summary, verb_##name},
#include "brushwork/verbs.def"
#undef VERB
};
