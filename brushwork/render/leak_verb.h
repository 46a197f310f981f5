/* brushwork render --leak. */
#ifndef BRUSHWORK_RENDER_LEAK_VERB_H
#define BRUSHWORK_RENDER_LEAK_VERB_H

#include "common/cli/program.h"
#include "render/render.h"

/* Compiles the source that the operand names as far as its leak shows, and draws that into `out`,
 * or into MAP_leak.png beside it if that is NULL. Returns STATUS_LEAK when it leaks. */
NODISCARD enum status render_leak(const struct program *program, struct standard_options *standard,
                                  const struct render_options *options, const char *out);

#endif
