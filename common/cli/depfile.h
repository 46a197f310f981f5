/* --depfile and -MD: a rule for Make and Ninja that says which files the outputs of a run depend on
 * (make_rule.h): all that it has read. --depfile-sought: a list of what it has looked for, which
 * these programs cannot be told of. */
#ifndef CLI_DEPFILE_H
#define CLI_DEPFILE_H

#include <stdbool.h>

#include "common/cli/console.h"
#include "common/cli/options.h"
#include "common/io/fs_inputs.h"

struct depfile_options {
    const char *file;              /* or NULL */
    const char *sought;            /* the same */
    bool is_beside;                /* the output's path with .d, where no file is named */
    const char *provenance, *root; /* of provenance.h; or NULL */
};

/* `base` is the offset of a struct depfile_options in the values of the table. */
struct option_group depfile_option_group(size_t base);

/* Settles the path when the output is known, before the work, and reports when it cannot be written
 * (FILE_WRITE) or is invalid (USAGE). Does nothing when no file is asked for. */
NODISCARD enum status depfile_prepare(struct console *console, struct depfile_options *options,
                                      struct option_result *result, const char *output);

/* The files that a run reads, from the settings of the game on. */
struct depfile {
    struct fs_inputs *inputs;
    struct fs *settings; /* the disk, for what is read before the run */
    struct fs *run;      /* NULL: no file is asked for */
};

void depfile_begin(struct depfile *depfile);
/* From here on the file system of the console notes what is read, if a file is asked for. */
void depfile_watch(struct depfile *depfile, const struct depfile_options *options,
                   struct console *console);
/* Writes the file, after a run that has written its outputs. */
NODISCARD enum status depfile_write(const struct depfile *depfile,
                                    const struct depfile_options *options, struct console *console);
void depfile_end(struct depfile *depfile);

#endif
