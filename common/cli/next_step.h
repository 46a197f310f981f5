/* The last line of a summary: what to do with the files. */
#ifndef CLI_NEXT_STEP_H
#define CLI_NEXT_STEP_H

#include "common/cli/program.h"
#include "common/cli/run_summary.h"

struct engine;

/* Where the game wants the BSP, and how it loads it. Nothing for standard output. */
void next_step_play(const struct program *program, const struct standard_options *options,
                    const char *bsp, const struct engine *engine);

/* How an editor shows the pointfile of a leak; NULL: there is none. */
void next_step_leak(const struct program *program, const char *pointfile,
                    const struct engine *engine);

#endif
