/* Text dumps of a compiled map for people and scripts: -glview, -dumpcollide, -dumpstaticprops,
 * -staticpropcombine_suggestrules. */
#ifndef VBSP_REPORT_DUMPS_H
#define VBSP_REPORT_DUMPS_H

#include "vbsp/vbsp.h"

struct vbsp_dumps {
    bool gl_view, collide, static_props, combine_rules; /* requested dumps */
    bool temporary_out;                                 /* .gl files go to /tmp */
};

/* Writes the requested dumps: MAP.gl, MAP.portals.gl, MAP.collide.txt, MAP.staticprops.txt and
 * MAP.combine.txt beside the BSP; the first two in /tmp with -tmpout. Without portals,
 * MAP.portals.gl is not written. For a BSP on standard output ("-") the dumps go to the working
 * folder as vbsp.gl and so on. */
NODISCARD enum status vbsp_write_dumps(const struct env *env, const char *bsp_path,
                                       const struct vbsp_dumps *dumps,
                                       const struct vbsp_output *output);

/* Returns true when any is requested. */
bool vbsp_has_dumps(const struct vbsp_dumps *dumps);

/* Reports (FILE_WRITE) when one of them cannot be written, before the map is compiled. */
NODISCARD enum status vbsp_prepare_dumps(const struct env *env, const char *bsp_path,
                                         const struct vbsp_dumps *dumps);

#endif
