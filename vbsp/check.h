/* What tells the mapper rather than makes the map: --check, --report, --fail-if. For the mains of
 * vbsp and of `brushwork build`. */
#ifndef VBSP_CHECK_H
#define VBSP_CHECK_H

#include "common/cli/program.h"
#include "vbsp/vbsp.h"

struct vbsp_files;

struct vbsp_check {
    bool check;           /* look for all that is wrong, and write nothing */
    bool report;          /* print the table of limits */
    const char **fail_if; /* stb_ds array of "NAME>N%", or codes of messages */
};

/* `base` is the offset of a struct vbsp_check in the values of the table. */
struct option_group vbsp_check_option_group(size_t base);

/* After the command line: sets what vbsp_run has to know. A condition that makes no sense, or whose
 * name is none of the format's limits, is reported (USAGE). */
NODISCARD enum status vbsp_check_finish(const struct vbsp_check *check,
                                        const struct bsp_format *format, struct diag *diag,
                                        struct vbsp_options *options);
void vbsp_check_free(struct vbsp_check *check);

/* Prints the table of limits when it was asked for and there is one: on standard output, or, as
 * objects a line, on standard error with the diagnostics. */
void vbsp_check_report(const struct vbsp_check *check, const struct program *program, bool json,
                       const struct vbsp_output *output, const char *bsp_path);

/* Reports each condition of --fail-if that a bsp meets, and fails. */
NODISCARD enum status vbsp_check_conditions(const struct vbsp_check *check,
                                            const struct bsp_format *format, const struct bsp *bsp,
                                            struct diag *diag);

/* In place of vbsp_write_output: whether the result could be written. FAILED when it cannot, or
 * when any error but a leak was reported; else `status`. */
NODISCARD enum status vbsp_check_output(const struct env *env, const struct vbsp_files *files,
                                        const struct bsp_format *format,
                                        const struct vbsp_output *output, enum status status);

#endif
