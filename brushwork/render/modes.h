/* Internal: which options of brushwork render go together. */
#ifndef BRUSHWORK_RENDER_MODES_H
#define BRUSHWORK_RENDER_MODES_H

#include "brushwork/render/render_verb.h"
#include "common/cli/program.h"

/* Refuses two choices of what is drawn, options without an effect on that, and a wrong number of
 * files. */
NODISCARD enum status render_check_modes(const struct program *program);

#endif
