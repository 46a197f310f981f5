/* The steps of a release that are verbs of this program, each in a process of its own. */
#ifndef BRUSHWORK_RELEASE_RELEASE_STEPS_H
#define BRUSHWORK_RELEASE_RELEASE_STEPS_H

#include "brushwork/release/release.h"

/* Runs the steps in order: afterwards the BSP and the page about it are complete, and what is
 * packed and missing is in `needs`. The first that fails is the last; returns its status. */
NODISCARD enum status release_steps_run(struct release *release);

#endif
