/* The option table of vbsp, for its main and for `brushwork build`. */
#ifndef VBSP_OPTIONS_H
#define VBSP_OPTIONS_H

#include "ballance/compile/ballance.h"
#include "common/cli/options.h"
#include "vbsp/report/dumps.h"
#include "vbsp/vbsp.h"

enum missing_instances { MISSING_INSTANCES_ERROR, MISSING_INSTANCES_WARN };

struct update_options; /* target/source/update/update_options.h */

struct vbsp_settings {
    struct vbsp_options options;
    const char *target; /* name in the format table; NULL: by the kind of level */
    const char *engine; /* file that describes the game (game_json.h); or NULL */
    const char *output; /* the .bsp; NULL: beside the map */
    const char *source; /* file that the map is read from; NULL: the map's own */
    const struct update_options *update;
    struct vbsp_dumps dumps;
    int missing_instances; /* enum missing_instances */
    int block[2], blocks[4];
    const char **shader_parms; /* stb_ds array: of all shaders */
    bool no_overbounces;       /* "noob" is one of them */
    bool custom_parms;         /* those of the game are known */
    struct ballance_options ballance;
};

struct vbsp_settings vbsp_settings_defaults(void);
void vbsp_settings_free(struct vbsp_settings *settings);
/* After the command line is parsed, which named the file `level`: converts settings to options and
 * finds the format of the target. Reports (USAGE) an unknown target and conflicting options. */
NODISCARD enum status vbsp_settings_finish(struct vbsp_settings *settings, const char *level,
                                           struct diag *diag, const struct bsp_format **format);

/* `base` is the offset of a struct vbsp_settings in the values of the table. */
struct option_group vbsp_option_group(size_t base);
/* The same without that of the output, for programs that name it themselves. */
struct option_group vbsp_source_option_group(size_t base);

#endif
