/* The options --resume and --checkpoint-every, and what programs that have them share. */
#ifndef CLI_RESUME_OPTIONS_H
#define CLI_RESUME_OPTIONS_H

#include "common/cli/program.h"
#include "common/resume/resume_file.h"

/* `base` is the offset of a struct resume_options in the values of the table. */
struct option_group resume_option_group(size_t base);

/* Returns the file with the ending beside that of the run's BSP, or NULL for "-", which --resume is
 * told (CHECKPOINT_ABSENT). Says so when there is one already and --resume was not given. */
const char *resume_path_beside(const struct program *program, const struct resume_options *options,
                               struct arena *arena, const char *bsp, const char *ending);

/* Fingerprint of what a run is asked for: the program and its options (options_hash), those of the
 * map and of the game's settings too, and the path of its source. Call it when all options are
 * known. */
void resume_key(const struct program *program, const char *source, unsigned char out[SHA256_SIZE]);

#endif
