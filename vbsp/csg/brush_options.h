/* The making of brushes and their sides, as the options say. */
#ifndef VBSP_CSG_BRUSH_OPTIONS_H
#define VBSP_CSG_BRUSH_OPTIONS_H

#include <stdbool.h>

struct brush_options {
    bool light_if_missing;     /* Source: lightmaps also for missing materials */
    bool no_draw_triggers;     /* do not draw sides with trigger materials */
    bool xbox;                 /* like no_draw_triggers, and do not light water */
    double default_luxel_size; /* lightmap scale of sides without one */
    double micro_volume;       /* warn about brushes with less volume */
};

extern const struct brush_options brush_defaults;

#endif
