/* Which static props become one model, as the options say. */
#ifndef VBSP_SOURCE_COMBINE_COMBINE_OPTIONS_H
#define VBSP_SOURCE_COMBINE_COMBINE_OPTIONS_H

#include <stdbool.h>

/* Flags in which static props that are combined may differ. */
enum combine_ignore {
    COMBINE_FAST_REFLECTION,
    COMBINE_NORMALS,
    COMBINE_SHADOWS,
    COMBINE_VERTEX_LIGHTING,
    COMBINE_FLASHLIGHT,
    COMBINE_SELF_SHADOWING,
    COMBINE_SHADOW_DEPTH,
    COMBINE_IGNORED
};

/* Static props that are alike and near become one model. */
struct combine_options {
    bool on;
    double distance;   /* units between the centres of the first and any other */
    int vertices;      /* maximum of a combined model, at most 65535 */
    int minimum;       /* props of a combined model, at least 2 */
    const char *rules; /* file that says which may be combined, or NULL: all */
    bool others;       /* with rules: also props that they do not name */
    bool print;        /* a note of each rule */
    /* By enum combine_ignore: props that differ in it are combined, too. */
    bool ignore[COMBINE_IGNORED];
};

extern const struct combine_options combine_defaults;

#endif
