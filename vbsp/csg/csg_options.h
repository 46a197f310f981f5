/* The planes of brushes, and how brushes cut each other, as the options say. */
#ifndef VBSP_CSG_CSG_OPTIONS_H
#define VBSP_CSG_CSG_OPTIONS_H

#include <stdbool.h>

struct csg_options {
    bool no_csg;     /* overlapping brushes do not cut each other */
    bool snap_axial; /* round the distances of axial planes to whole units */
};

#endif
