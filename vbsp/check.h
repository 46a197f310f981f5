/* Options that report instead of compiling: --check and --report; and the limits of --fail-if.
 * Shared by vbsp, `brushwork build` and `brushwork lint`. */
#ifndef VBSP_CHECK_H
#define VBSP_CHECK_H

#include "common/cli/program.h"
#include "vbsp/vbsp.h"

struct vbsp_files;

struct vbsp_check {
    bool check;  /* report all problems and write nothing */
    bool report; /* print the table of limits */
};

/* `base` is the offset of a struct vbsp_check in the values of the table. */
struct option_group vbsp_check_option_group(size_t base);
/* The same without --check, for a verb that does nothing else. */
struct option_group vbsp_report_option_group(size_t base);

/* --fail-if with the names of limits, for the table of a program. */
extern const struct option_def vbsp_fail_if_option;

/* After the command line is parsed: sets what vbsp_run needs. Reports (USAGE) a malformed condition
 * and a name that is no limit of the format. */
NODISCARD enum status vbsp_check_finish(const struct vbsp_check *check, const char **fail_if,
                                        const struct bsp_format *format, struct diag *diag,
                                        struct vbsp_options *options);

/* Prints the table of limits if it was requested and there is one: to standard output, or, as JSON
 * objects one per line, to standard error with the diagnostics. */
void vbsp_check_report(const struct vbsp_check *check, const struct program *program, bool json,
                       const struct vbsp_output *output, const char *bsp_path);

/* Reports each --fail-if condition on limits that the bsp meets, and fails if there is one. */
NODISCARD enum status vbsp_check_limits(const char **fail_if, const struct bsp_format *format,
                                        const struct bsp *bsp, struct diag *diag);
/* The same with those on messages (diag_judge); does nothing without a bsp. */
NODISCARD enum status vbsp_check_conditions(const char **fail_if, const struct bsp_format *format,
                                            const struct bsp *bsp, struct diag *diag);

/* Replaces vbsp_write_output: checks that the result can be written. Returns FAILED when it cannot,
 * or when any error but a leak was reported; else `status`. */
NODISCARD enum status vbsp_check_output(const struct env *env, const struct vbsp_files *files,
                                        const struct bsp_format *format,
                                        const struct vbsp_output *output, enum status status);

#endif
