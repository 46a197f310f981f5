/* The option table of vbsp, for its main and for `brushwork build`. */
#ifndef VBSP_OPTIONS_H
#define VBSP_OPTIONS_H

#include "common/cli/options.h"
#include "vbsp/report/dumps.h"
#include "vbsp/vbsp.h"

struct vbsp_settings {
    struct vbsp_options options;
    const char *target;         /* row of the format table; NULL: by the source */
    const char *output;         /* the .bsp; NULL: beside the map */
    bool only_ents, only_props; /* update the BSP that is there */
    struct vbsp_dumps dumps;
    bool keep_stale_zip; /* start from the pakfile of the BSP that is there */
    int block[2], blocks[4];
};

struct vbsp_settings vbsp_settings_defaults(void);
/* After the command line, which named the file `source`: turns what it said in another form into
 * the options, and finds the format of the target. An unknown target, and options that contradict
 * each other, are reported (USAGE). */
NODISCARD enum status vbsp_settings_finish(struct vbsp_settings *settings, const char *source,
                                           struct diag *diag, const struct bsp_format **format);

/* `base` is the offset of a struct vbsp_settings in the values of the table. */
struct option_group vbsp_option_group(size_t base);

#endif
